import { DataSource, type DataSourceOptions, type MigrationInterface, type QueryRunner } from 'typeorm';
import { insertSqlHistory } from '../../test/fixtures/sql-history.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { Money } from '../common/money.js';
import { migrate, migrationsFromFiles } from './migrations.js';

type Row = Record<string, unknown>;
type Migrations = DataSourceOptions['migrations'];

/** Totals that triggers maintain. */
const TOTALS = [
  'select user_figures.* from user_figures order by user_id',
  'select * from report_rollup order by span, since, strategy_id',
  'select * from report_gap order by ended, resumed',
  'select * from list_total where rows <> 0 order by list, span, place, facets',
];
const COLUMNS = `select table_name, column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_schema = 'public' order by table_name, column_name`;

/** Adds a column and fills it, as a migration of a later version may. */
class LaterVersion implements MigrationInterface {
  readonly name = 'laterVersion0000000000999';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table investment add column invested_day date;
      update investment set invested_day = utc_day(created_at);
      alter table investment alter column invested_day set not null;
      alter table withdrawal add column channel text not null default 'api'`);
  }

  async down(): Promise<void> {}
}

describe('Migrations', () => {
  const databases: TestDatabase[] = [];
  const dataSources: DataSource[] = [];
  afterAll(async () => {
    for (const dataSource of dataSources) await dataSource.destroy();
    for (const database of databases) await database.drop();
  });

  async function createDatabase(template?: string): Promise<TestDatabase> {
    const created = await freshDatabase(template);
    databases.push(created);
    return created;
  }

  async function connect({ url }: TestDatabase, migrations: Migrations = []): Promise<DataSource> {
    const dataSource = await new DataSource({ type: 'postgres', url, migrations }).initialize();
    dataSources.push(dataSource);
    return dataSource;
  }

  const silent = () => undefined;

  async function totalsOf(dataSource: DataSource): Promise<Row[][]> {
    await dataSource.query('select compact_report_totals(), compact_list_totals()');
    return Promise.all(
      TOTALS.map(async (sql) => (await dataSource.query<Row[]>(sql)).map(canonical).filter(isNotZero)),
    );
  }

  it('apply one file at a time, each to the schema that the files before it made', async () => {
    const [empty, migrated] = [await createDatabase('template0'), await createDatabase()];
    const files = migrationsFromFiles();
    for (const [index] of files.entries()) {
      const dataSource = await new DataSource({
        type: 'postgres',
        url: empty.url,
        migrations: files.slice(0, index + 1),
      }).initialize();
      expect(await migrate(dataSource, silent)).toBe(1);
      await dataSource.destroy();
    }
    const columns = await (await connect(empty)).query<Row[]>(COLUMNS);
    expect(columns.length).toBeGreaterThan(500);
    expect(columns).toEqual(await (await connect(migrated)).query<Row[]>(COLUMNS));
  });

  it('of a later version apply to a database with data and leave its totals unchanged', async () => {
    const dataSource = await connect(await createDatabase(), [...migrationsFromFiles(), LaterVersion]);
    await insertSqlHistory(dataSource);
    const before = await totalsOf(dataSource);
    expect(before.every((rows) => rows.length > 0)).toBe(true);
    expect(await migrate(dataSource, silent)).toBe(1);
    expect(await totalsOf(dataSource)).toEqual(before);
    const rows = await dataSource.query<Row[]>(
      `select count(*)::int from investment where invested_day <> (created_at at time zone 'UTC')::date`,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('apply the newest file to a database in use, and keep what statements of version 1.0.0 read', async () => {
    const files = migrationsFromFiles();
    const used = await createDatabase('template0');
    const before = await connect(used, files.slice(0, -1));
    await migrate(before, silent);
    await insertSqlHistory(before);
    const statement =
      'select user_id, f.transactions, f.failed_transactions from user_figures as f order by user_id';
    const figures = await before.query<Row[]>(statement);
    expect(figures.some((row) => row.transactions !== 0)).toBe(true);
    const deltas =
      'select (select count(*) from list_total_delta) > 0 and (select count(*) from report_delta) > 0 as any';
    expect(await before.query<Row[]>(deltas)).toEqual([{ any: true }]);

    const after = await connect(used, files);
    expect(await migrate(after, silent)).toBe(1);
    expect(await before.query<Row[]>(statement)).toEqual(figures);
    const maintained = await totalsOf(before);
    await after.query('select rebuild_report_totals(), rebuild_list_totals()');
    expect(await totalsOf(after)).toEqual(maintained);
  });

  it('define functions and a view that recompute exactly the totals that the triggers maintain', async () => {
    const dataSource = await connect(await createDatabase());
    await insertSqlHistory(dataSource);
    const maintained = await totalsOf(dataSource);
    await dataSource.query('select rebuild_report_totals(), rebuild_list_totals()');
    expect(await totalsOf(dataSource)).toEqual(maintained);
    const users = await dataSource.query<Row[]>('select * from user_figures_recomputed order by user_id');
    expect(users.map(canonical).filter(isNotZero)).toEqual(maintained[0]);
  });

  it('count a move as no new investment, even if it is posted before its investment is inserted (version 1.0.0)', async () => {
    const dataSource = await connect(await createDatabase());
    await insertSqlHistory(dataSource, { movesArePostedFirst: true });
    const [maintained] = await totalsOf(dataSource);
    const users = await dataSource.query<Row[]>('select * from user_figures_recomputed order by user_id');
    expect(users.map(canonical).filter(isNotZero)).toEqual(maintained);
  });
});

/** The row with its decimals written without trailing zeros. */
function canonical(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [
      field,
      isDecimal(value) ? Money.of(value).toString() : value,
    ]),
  );
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
}

/** False for a row of zeros, which means the same as no row. */
function isNotZero(row: Row): boolean {
  return Object.values(row).some((value) =>
    isDecimal(value) ? value !== '0' : typeof value === 'number' && value !== 0,
  );
}
