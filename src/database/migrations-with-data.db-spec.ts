import { DataSource, type DataSourceOptions, type MigrationInterface, type QueryRunner } from 'typeorm';
import { formerDatabase } from '../../test/fixtures/numbered-migrations.js';
import { TEST_KEYS } from '../../test/fixtures/sealed-rows.js';
import { insertSqlHistory } from '../../test/fixtures/sql-history.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import type { Clock } from '../common/clock.js';
import { Money } from '../common/money.js';
import { ListSums } from '../lists/list-sums.js';
import { TotalRuns } from '../lists/total-runs.js';
import { ReportSumsRepository } from '../modules/backoffice/reports/report-sums.repository.js';
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
/** The sums that triggers maintained. */
const REPORT_SUMS = `select span, since, strategy_id, users, holders, made, active, pending, principal, accrued, management_fees,
  performance_fees, settled, settled_ms from report_rollup order by span, since, strategy_id`;
/** The last migration in test/fixtures/numbered-migrations whose schema has these triggers: 059 removes them. */
const LAST_WITH_TRIGGERS = 58;
const NOW = new Date('2026-03-02T10:00:00.000Z');
const COLUMNS = `select table_name, column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_schema = 'public' order by table_name, column_name`;

/** Adds a column and fills it, as a migration of a later version may. */
class LaterVersion implements MigrationInterface {
  readonly name = 'laterVersion0000000000999';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table investment add column invested_day date;
      update investment set invested_day = (created_at at time zone 'UTC')::date;
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
    const empty = await createDatabase('template0');
    const migrated = await createDatabase();
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

  it('lead from the schema in which triggers maintained sums to one in which the service computes the same sums', async () => {
    const files = migrationsFromFiles(TEST_KEYS);
    const used = await createDatabase('template0');
    const before = await formerDatabase(used.url, LAST_WITH_TRIGGERS);
    dataSources.push(before);
    await insertSqlHistory(before);
    await before.query('select compact_report_totals(), compact_list_totals()');
    const maintained = [
      'select user_id, investments, total_invested, total_withdrawn, total_earnings from user_figures order by user_id',
      REPORT_SUMS,
      'select ended, resumed, users from report_gap where users <> 0 order by 1, 2',
      `select list, facets, place, rows, amount, since, took, units, value, growth from list_total
        where span = 'day' and rows <> 0 order by list, place, facets`,
    ];
    const byTriggers = await rowsOf(before, maintained);

    const after = await connect(used, files); // the present code computes the sums in the present schema
    expect(await migrate(after, silent)).toBeGreaterThan(0);
    const figuresOfUsers = await rowsOf(after, [
      'select user_id, investments, total_invested, total_withdrawn, total_earnings from user_figures_recomputed order by user_id',
    ]);
    // The triggers counted a move as a closing and a new investment.
    await after.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica'); // without the triggers
      await tx.query(`update investment set moved_from = null, moved_to = null, first_principal = null, first_made_at = null,
                             carried_fees = 0, carried_performance_fees = 0 where moved_from is not null or moved_to is not null`);
    });
    await after.query('select mark_all_totals()');
    await totalsOf(after);
    const sums = await rowsOf(after, [
      REPORT_SUMS,
      'select ended, resumed, count(*)::int as users from user_gap group by 1, 2 order by 1, 2',
      `select list, facets, (at at time zone 'UTC')::date - date '1970-01-01' as place, rows, amount, since, took, units, value, growth from list_sum
        where span = 'day' and list in ('withdrawal', 'investment', 'deposit', 'audit_entry', 'webhook_event')
        order by list, place, facets`,
    ]);
    const computed = [...figuresOfUsers, ...sums];
    const asText = (rows: Row[][]) =>
      rows.map((table) => table.map((row) => JSON.stringify(row, textOfNumber)));
    expect(asText(computed)).toEqual(asText(byTriggers));
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
