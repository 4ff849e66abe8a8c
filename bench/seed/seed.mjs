// Inserts one year of data of a platform with SQL. Triggers are off meanwhile, and indexes are built afterwards. Then the sums of
// lists and reports are computed, and the service's own integrity check has to hold.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { openDatabase } from '../../dist/database/data-source.js';
import { migrationsFromFiles } from '../../dist/database/migrations.js';
import { UnitOfWork } from '../../dist/database/unit-of-work.js';
import { ListSums } from '../../dist/lists/list-sums.js';
import { TotalRuns } from '../../dist/lists/total-runs.js';
import { ReportSumsRepository } from '../../dist/modules/backoffice/reports/report-sums.repository.js';
import { SystemClock } from '../../dist/common/clock.js';
import { invariantsOf, sealSeededRecords } from '../support/invariants.mjs';

export const STEPS = ['1-histories.sql', '2-ledger.sql', '3-records.sql', '4-lists.sql'];
export const sqlOf = (step) => readFileSync(new URL(step, import.meta.url), 'utf8');

const DAYS = 365;
const TRANSACTIONS_OF_TWENTY_EVENTS = 22;
const LEAST_EVENTS = 20;

/**
 * Fills the empty database at `url` with about `rows` transactions of `users` users. Each active user has at least twenty
 * events, so that a small platform has fewer active users instead of shorter histories.
 */
export async function seed(url, { rows, users, printProgress = () => undefined }) {
  const quiet = () => undefined;
  const migrated = await openDatabase({ type: 'postgres', url, migrations: migrationsFromFiles() }, quiet);
  await migrated.destroy();
  const client = new pg.Client(url);
  await client.connect();
  try {
    const step = async (what, work) => {
      const begun = performance.now();
      await work();
      printProgress(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    };
    await client.query(`set session_replication_role = replica; set work_mem = '256MB'; set jit = off;
      set maintenance_work_mem = '512MB'; set timezone = 'UTC'; set client_min_messages = warning`);
    await client.query(planOf(rows, users));
    const indexes = await dropIndexes(client);
    for (const file of STEPS) await step(file, () => client.query(sqlOf(file)));
    await step('indexes', async () => {
      for (const index of indexes) await client.query(index);
    });
    await step('vacuum', () => client.query('vacuum analyze'));
    await step('user figures', () =>
      client.query(
        'delete from user_figures; insert into user_figures select * from user_figures_recomputed',
      ),
    );
    await step('totals', () => computeTotals(url));
    await dropWorkingTables(client);
    await client.query('vacuum analyze');
    await step('seals and integrity check', () => requireIntegrity(url));
  } finally {
    await client.end();
  }
}

/** The statement that creates seed_plan, the sizes that the SQL files read. */
function planOf(rows, users) {
  const events = Math.round((rows / TRANSACTIONS_OF_TWENTY_EVENTS) * 20);
  const histories = Math.max(1, Math.min(users - 1, Math.floor(events / LEAST_EVENTS)));
  return `create unlogged table seed_plan as
    select ${rows} as rows, ${users} as users, ${histories} as histories,
           ${Math.round(events / histories)} as events_per_history, ${DAYS} as days,
           date_trunc('day', now()) - interval '${DAYS} days' as first_day`;
}

async function dropWorkingTables(client) {
  const { rows } = await client.query(
    `select relname as name from pg_class where relname ~ '^seed_' and relkind = 'r'`,
  );
  await client.query(`drop table ${rows.map(({ name }) => name).join(', ')}`);
  await client.query('drop function seed_id, seed_any, seed_hash');
}

/** Drops the indexes that no constraint needs, and returns the statements that create them again. */
async function dropIndexes(client) {
  const { rows } = await client.query(`
    select index.indexrelid::regclass as name, pg_get_indexdef(index.indexrelid) as definition
      from pg_index as index join pg_class as "table" on "table".oid = index.indrelid
     where relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint where conindid = index.indexrelid)`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function computeTotals(url) {
  const dataSource = await openDatabase({ type: 'postgres', url }, () => undefined, { migrate: false });
  try {
    const runs = new TotalRuns(dataSource, new UnitOfWork(dataSource), new SystemClock());
    new ListSums(runs).onModuleInit();
    new ReportSumsRepository(runs).onModuleInit();
    await dataSource.query('delete from total_mark');
    await dataSource.query('select mark_all_totals()');
    await runs.runAll();
  } finally {
    await dataSource.destroy();
  }
}

async function requireIntegrity(url) {
  const dataSource = await openDatabase({ type: 'postgres', url }, () => undefined, { migrate: false });
  try {
    await sealSeededRecords(dataSource);
    const { verdict, findings } = await invariantsOf(dataSource).checkInvariants();
    if (verdict !== 'holds')
      throw new Error(
        `the seed violates invariants: ${JSON.stringify(
          findings.filter(({ violationCount }) => violationCount > 0),
          null,
          1,
        )}`,
      );
  } finally {
    await dataSource.destroy();
  }
}
