import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SessionClient } from '../../../src/database/session-settings.js';
import { backup } from '../../../src/operations/backup.js';
import { migrateDatabase } from '../../../src/operations/migrate.js';
import { restore } from '../../../src/operations/restore.js';
import { serveMoneyPath } from '../../fixtures/money-path.js';
import { catalogOf, databaseWithOwnSchema, type DatabaseOfARole } from '../../fixtures/own-schema.js';
import { executeOnDatabase, freshDatabase, type TestDatabase } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const BALANCES = `select owner_id, kind, scope, asset, balance from ledger_account where balance is not null order by owner_id, kind, asset, scope`;

/** The rows of a statement in a session of the service. */
async function rowsIn({ url }: { readonly url: string }, sql: string): Promise<unknown[]> {
  const client = new SessionClient(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('A role that may create tables in a schema of its own only', () => {
  let own: DatabaseOfARole;
  let platform: TestPlatform;
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    own = await databaseWithOwnSchema('Own-schema');
    await migrateTables(own);
    platform = await startPlatform({ settings: { DATABASE_URL: own.url } });
  });
  afterAll(async () => {
    await platform?.stop();
    for (const database of [own, ...databases]) await database?.drop();
  });

  async function migrateTables({ url: databaseUrl }: TestDatabase): Promise<void> {
    await migrateDatabase({ databaseUrl, tokenHashKey: undefined }, () => undefined);
  }

  async function dropAtEnd<Database extends TestDatabase>(created: Promise<Database>): Promise<Database> {
    const database = await created;
    databases.push(database);
    return database;
  }

  it('has the same tables, functions and triggers there as an owner of the database has in public', async () => {
    const inPublic = await dropAtEnd(freshDatabase());
    const [ours, theirs] = [
      await catalogOf((sql) => rowsIn(own, sql), own.schema),
      await catalogOf((sql) => rowsIn(inPublic, sql), 'public'),
    ];
    expect(ours.length).toBeGreaterThan(1000);
    expect(ours).toEqual(theirs);
    expect(ours.filter((object) => object.includes(own.schema))).toEqual([]);
    expect(await rowsIn(own, `select from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  });

  it('serves a sign-in, a deposit, an investment, its closing, a withdrawal and its payment, and restores a backup of them into any schema', async () => {
    const user = await serveMoneyPath(platform);
    const admin = platform.as(await platform.given.admin());
    const { data } = await admin.get('/api/admin/integrity');
    expect(
      data.laws.filter(({ severity, status }: any) => severity === 'owed' && status !== 'holds'),
    ).toEqual([]);
    await platform.caughtUp();
    const file = new PassThrough();
    const [content] = await Promise.all([buffer(file), backup(own.url, file)]);
    const balances = await rowsIn(own, BALANCES);
    expect(balances).toContainEqual(
      expect.objectContaining({ owner_id: user.id, kind: 'user.available', balance: '800' }),
    );
    const inOther = await dropAtEnd(databaseWithOwnSchema('other', 'address'));
    const inPublic = await dropAtEnd(freshDatabase());
    await migrateTables(inOther);
    for (const target of [inOther, inPublic]) {
      await restore(target.url, Readable.from(content));
      expect(await rowsIn(target, BALANCES)).toEqual(balances);
    }
    expect(await rowsIn(inOther, 'select current_schema() as schema')).toEqual([{ schema: 'other' }]);
  });
});

describe('A database with the tables in public', () => {
  let inPublic: TestDatabase;
  beforeAll(async () => {
    inPublic = await freshDatabase();
  });
  afterAll(() => inPublic?.drop());

  it('is used with these tables although another schema comes first in its search_path', async () => {
    const name = new URL(inPublic.url).pathname.slice(1);
    await executeOnDatabase(
      inPublic.url,
      `create schema later; alter database ${name} set search_path = later, public`,
    );
    expect(await rowsIn(inPublic, `select current_setting('search_path') as path`)).toEqual([
      { path: 'public' },
    ]);
  });
});
