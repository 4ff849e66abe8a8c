import { DataSource, type DataSourceOptions, type MigrationInterface, type QueryRunner } from 'typeorm';
import { insertSqlHistory } from '../../test/fixtures/sql-history.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import type { Clock } from '../common/clock.js';
import { Money } from '../common/money.js';
import { ListSums } from '../lists/list-sums.js';
import { TotalRuns } from '../lists/total-runs.js';
import { ReportSumsRepository } from '../modules/reports/report-sums.repository.js';
import { migrate, migrationsFromFiles } from './migrations.js';
import { UnitOfWork } from './unit-of-work.js';

type Row = Record<string, unknown>;
type Migrations = DataSourceOptions['migrations'];

/** Sums that are computed from the rows. */
const TOTALS = [
  'select * from report_rollup order by span, since, strategy_id',
  'select * from user_gap order by user_id, ended, resumed',
  `select * from list_sum where span <> 'hour' order by list, span, at, facets`,
];
/** What a process of the previous version sends while it still runs. */
const STATEMENTS_OF_THE_PREVIOUS_VERSION = [
  'select greatest(compact_list_totals(100), compact_report_totals(100))::int as moved',
  `select sum(rows) from list_totals('investment', '{active}')`,
  `select sum(rows) from list_totals_of_days('withdrawal', '{}', '0001-01-01', '9999-12-31')`,
  `select sum(rows) from list_totals_above('investment', '{}', 100)`,
  'select list_total_row.* from withdrawal as w, list_total_row(w)',
  'select hour, strategy_id, users from report_delta',
  'select * from report_gap union all select * from report_gap_delta',
];
const NOW = new Date('2026-03-02T10:00:00.000Z');
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

  /** Computes all marked sums. */
  async function totalsOf(dataSource: DataSource): Promise<Row[][]> {
    const runs = new TotalRuns(dataSource, new UnitOfWork(dataSource), { now: () => NOW } as Clock);
    new ListSums(runs).onModuleInit();
    new ReportSumsRepository(runs).onModuleInit();
    await runs.runAll();
    return rowsOf(dataSource, TOTALS);
  }

  function rowsOf(dataSource: DataSource, queries: readonly string[]): Promise<Row[][]> {
    return Promise.all(
      queries.map(async (sql) => (await dataSource.query<Row[]>(sql)).map(canonical).filter(isNotZero)),
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

  it('of a later version apply to a database with data and leave its sums unchanged', async () => {
    const dataSource = await connect(await createDatabase(), [...migrationsFromFiles(), LaterVersion]);
    await insertSqlHistory(dataSource);
    await dataSource.query('select mark_all_totals()');
    const before = await totalsOf(dataSource);
    expect(before[0]?.length).toBeGreaterThan(0);
    expect(before[2]?.length).toBeGreaterThan(0);
    expect(await migrate(dataSource, silent)).toBe(1);
    await dataSource.query('select mark_all_totals()');
    expect(await totalsOf(dataSource)).toEqual(before);
    const rows = await dataSource.query<Row[]>(
      `select count(*)::int from investment where invested_day <> (created_at at time zone 'UTC')::date`,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  it('compute the sums that triggers maintained before, and keep what statements of earlier versions read', async () => {
    const files = migrationsFromFiles();
    const newest = files.findIndex((File) => new File().name?.startsWith('sums-from-rows'));
    const used = await createDatabase('template0');
    const before = await connect(used, files.slice(0, newest));
    await migrate(before, silent);
    await insertSqlHistory(before);
    const figuresOfVersion1 =
      'select user_id, f.transactions, f.failed_transactions from user_figures as f order by user_id';
    const figures = await before.query<Row[]>(figuresOfVersion1);
    expect(figures.some((row) => row.transactions !== 0)).toBe(true);
    await before.query('select compact_report_totals(), compact_list_totals()');
    const maintained = [
      'select * from user_figures order by user_id',
      TOTALS[0] as string,
      'select ended, resumed, users from report_gap where users <> 0 order by 1, 2',
      `select list, facets, place, rows, amount, since, took, units, value, growth from list_total
        where span = 'day' and rows <> 0 order by list, place, facets`,
    ];
    const byTriggers = await rowsOf(before, maintained);

    const after = await connect(used, files.slice(0, newest + 1));
    expect(await migrate(after, silent)).toBe(1);
    await totalsOf(after);
    const computed = await rowsOf(after, [
      'select * from user_figures_recomputed order by user_id',
      TOTALS[0] as string,
      'select ended, resumed, count(*)::int as users from user_gap group by 1, 2 order by 1, 2',
      `select list, facets, utc_day(at) - date '1970-01-01' as place, rows, amount, since, took, units, value, growth from list_sum
        where span = 'day' and list in ('withdrawal', 'investment', 'deposit', 'audit_entry', 'webhook_event')
        order by list, place, facets`,
    ]);
    const asText = (rows: Row[][]) =>
      rows.map((table) => table.map((row) => JSON.stringify(row, textOfNumber)));
    expect(asText(computed)).toEqual(asText(byTriggers));

    expect(await before.query<Row[]>(figuresOfVersion1)).toEqual(figures);
    for (const sql of STATEMENTS_OF_THE_PREVIOUS_VERSION) await before.query(sql);
  });
});

function textOfNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

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
