import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { formerDatabase, NUMBERED_FOLDER } from '../../test/fixtures/numbered-migrations.js';
import { catalogOf } from '../../test/fixtures/own-schema.js';
import { TEST_KEYS } from '../../test/fixtures/sealed-rows.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { CredentialKeys } from '../common/credential-keys.js';
import { sealedColumnsOf } from '../common/sealed-rows.js';
import { openDatabase } from './data-source.js';
import { migrate, migrationsFromFiles } from './migrations.js';

const INSERT_USER = `
  insert into platform_user (id, email, created_at, updated_at) values (gen_random_uuid(), 'a@b.test', now(), now())`;
const NAMES = 'select name from migrations order by id';
const UPGRADE = new URL('../../migrations/upgrade/from-048.sql', import.meta.url);

describe('A database of the former numbers', () => {
  const databases: TestDatabase[] = [];
  const dataSources: DataSource[] = [];
  const lines: string[] = [];
  afterEach(async () => {
    for (const dataSource of dataSources.splice(0)) await dataSource.destroy();
    for (const database of databases.splice(0)) await database.drop();
    lines.length = 0;
  });

  async function createDatabase(template?: string): Promise<string> {
    const database = await freshDatabase(template);
    databases.push(database);
    return database.url;
  }

  async function connect(url: string, keys?: CredentialKeys): Promise<DataSource> {
    const migrations = migrationsFromFiles(keys);
    const dataSource = await new DataSource({ type: 'postgres', url, migrations }).initialize();
    dataSources.push(dataSource);
    return dataSource;
  }

  /** A connection of the present version to a database of a former one. */
  async function connectToFormer(last: number): Promise<DataSource> {
    const url = await createDatabase('template0');
    const former = await formerDatabase(url, last);
    await former.destroy();
    return connect(url, TEST_KEYS);
  }

  /** A start of the present version. */
  async function start(former: DataSource): Promise<DataSource> {
    const { url = '' } = former.options as { url?: string };
    const migrations = migrationsFromFiles(TEST_KEYS);
    const options = { type: 'postgres', url, migrations, applicationName: 'stablecoin-platform' } as const;
    const dataSource = await openDatabase(options, say);
    dataSources.push(dataSource);
    return dataSource;
  }

  const say = (line: string): void => {
    lines.push(line);
  };
  const catalog = (dataSource: DataSource) => catalogOf((sql) => dataSource.query(sql), 'public');

  it.each([48, 61, 82])('has the schema of a new database after the upgrade from %i', async (last) => {
    const fresh = await connect(await createDatabase());
    const former = await connectToFormer(last);
    expect(await migrate(former, say)).toBeGreaterThan(0);
    expect(lines[0]).toBe(`database: upgraded from migration 0${last} of the former numbers`);
    expect(await catalog(former)).toEqual(await catalog(fresh));
    expect(await former.query(NAMES)).toEqual(await fresh.query(NAMES));
    expect(await former.query('select * from replica_beat')).toEqual(
      await fresh.query('select * from replica_beat'),
    );
    expect(await migrate(former, say)).toBe(0);
  });

  it('is left as it is if it is older than 048, with the version to start first', async () => {
    const former = await connectToFormer(47);
    await expect(migrate(former, say)).rejects.toThrow(
      'at migration 047 of the former numbers. Start a version that has migrations/048-audit-of-a-subject.sql once',
    );
    expect(await former.query(NAMES)).toHaveLength(47);
  });

  it('is not upgraded while a process of its version is connected', async () => {
    const former = await connectToFormer(82);
    const { url = '' } = former.options as { url?: string };
    const formerProcess = new pg.Client({
      connectionString: url,
      application_name: 'stablecoin-platform notices',
    });
    await formerProcess.connect();
    await expect(start(former)).rejects.toThrow(
      /are connected: stop all of them, then start again \(sessions: stablecoin-platform notices/,
    );
    await formerProcess.end();
    expect(await former.query(NAMES)).toHaveLength(82);
  });

  it('is upgraded once by processes that start together', async () => {
    const former = await connectToFormer(82);
    await Promise.all([start(former), start(former), start(former)]);
    expect(lines.filter((line) => line.includes('upgraded'))).toEqual([
      'database: upgraded from migration 082 of the former numbers',
    ]);
    expect(await former.query(NAMES)).toHaveLength(migrationsFromFiles().length);
  });

  it.each([
    ['a gap', `delete from migrations where timestamp = 60`, 'entry 60 is sealed-credentials0000000000061'],
    [
      'a foreign name',
      `update migrations set name = 'other0000000000060' where timestamp = 60`,
      'entry 60 is other',
    ],
    [
      'an entry of the baseline',
      `insert into migrations (timestamp, name) values (101, 'database0000000000101')`,
      'entry 83',
    ],
  ])('is left as it is if its entries have %s', async (_, sql, message) => {
    const former = await connectToFormer(82);
    await former.query(sql);
    const before = await former.query(NAMES);
    await expect(migrate(former, say)).rejects.toThrow(message);
    expect(await former.query(NAMES)).toEqual(before);
  });

  it.each([48, 82])(
    'keeps its rows in the upgrade from %i, and its schema if that fails half-way',
    async (last) => {
      const former = await connectToFormer(last);
      await former.query(INSERT_USER);
      const rows = () => former.query('select id, email, created_at from platform_user');
      const users = await rows();
      const schema = await catalog(former);
      await former.query('create view of_somebody_else as select * from list_total_delta');
      await expect(migrate(former, say)).rejects.toThrow('view of_somebody_else depends on');
      await former.query('drop view of_somebody_else');
      expect(await catalog(former)).toEqual(schema);
      expect(await former.query(NAMES)).toHaveLength(last);
      expect(await migrate(former, say)).toBeGreaterThan(0);
      expect(await rows()).toEqual(users);
    },
  );

  it.each([
    `list_total_delta (list, facets, rows) values ('deposit', '{}', 1)`,
    `report_delta (hour) values (date_trunc('hour', now(), 'UTC'))`,
    `report_gap_delta (ended, resumed, users) values (now(), now(), 1)`,
  ])('computes its sums again if changes that were not added to them yet are left: %s', async (change) => {
    const former = await connectToFormer(82);
    await former.query(`${INSERT_USER}; delete from total_mark; insert into ${change}`);
    await migrate(former, say);
    expect(await former.query('select distinct name from total_mark')).toContainEqual({ name: 'report' });
  });

  it('is sealed under no other key than that of its seals', async () => {
    const former = await connectToFormer(61);
    const at = new Date('2026-03-01T10:00:00Z');
    const row = { email: 'a@b.test', passwordHash: 'hash', passwordSetBy: 'a@b.test', passwordSetAt: at };
    const columns = { ...row, passwordGivenBy: null, passwordGivenAt: null };
    await former.query(
      `insert into admin_account (email, password_hash, password_set_by, password_set_at, seal) values ($1, $2, $3, $4, $5)`,
      [...Object.values(row), TEST_KEYS.sealOf('admin_account', sealedColumnsOf('admin_account', columns))],
    );
    const { url = '' } = former.options as { url?: string };
    const withOtherKey = await connect(url, new CredentialKeys(['another key of thirty-two characters']));
    await expect(migrate(withOtherKey, say)).rejects.toThrow('The database has seals of another key');
    expect(await migrate(former, say)).toBeGreaterThan(0);
  });

  it('is upgraded by the statements that its own version would have applied', () => {
    const text = readFileSync(UPGRADE, 'utf8');
    const later = readdirSync(NUMBERED_FOLDER).filter((file) => file > '049' && file < '082');
    expect(later).toHaveLength(33); // 049 to 081
    for (const file of later) {
      const statements = readFileSync(NUMBERED_FOLDER + file, 'utf8').trim();
      expect(text).toContain(`\n-- == ${file.replace('.sql', '')}\n\n${statements}\n`);
    }
  });
});
