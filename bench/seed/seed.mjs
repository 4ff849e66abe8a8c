// Inserts one year of data with SQL. Triggers are off and indexes are built at the end; then the totals that triggers keep
// are rebuilt, and the integrity check must hold.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { openDatabase } from '../../dist/database/data-source.js';
import { migrationsFromFiles } from '../../dist/database/migrations.js';
import { Snapshots } from '../../dist/database/snapshots.js';
import { SystemClock } from '../../dist/common/clock.js';
import { Examination } from '../../dist/modules/integrity/examination.js';

export const STEPS = ['1-histories.sql', '2-ledger.sql', '3-records.sql', '4-lists.sql'];
export const sqlOf = (step) => readFileSync(new URL(step, import.meta.url), 'utf8');

const DAYS = 365;
const TRANSACTIONS_PER_TWENTY_EVENTS = 22;
const MIN_EVENTS = 20;

/**
 * Fills the empty database at `url` with about `rows` transactions of `users` users. Each active user has at least twenty
 * events, so a small platform has fewer active users instead of shorter histories.
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
    await step('figures', () =>
      client.query(
        'delete from user_figures; insert into user_figures select * from user_figures_recomputed',
      ),
    );
    await step('sums', () => client.query('select rebuild_report_totals(), rebuild_list_totals()'));
    await client.query(
      dropOf(
        await namesOf(
          client,
          `select relname as name from pg_class where relname ~ '^seed_' and relkind = 'r'`,
        ),
      ),
    );
    await client.query('drop function seed_id, seed_any, seed_hash');
    await client.query('vacuum analyze');
    await step('integrity check', () => requireIntegrity(url));
  } finally {
    await client.end();
  }
}

function planOf(rows, users) {
  const facts = Math.round((rows / TRANSACTIONS_PER_TWENTY_EVENTS) * 20);
  const lives = Math.max(1, Math.min(users - 1, Math.floor(facts / MIN_EVENTS)));
  return `create unlogged table seed_plan as
    select ${rows} as rows, ${users} as users, ${lives} as lives, ${Math.round(facts / lives)} as life_facts, ${DAYS} as days,
           date_trunc('day', now()) - interval '${DAYS} days' as first_day`;
}

async function namesOf(client, sql) {
  const { rows } = await client.query(sql);
  return rows.map(({ name }) => name);
}

const dropOf = (tables) => `drop table ${tables.join(', ')}`;

/** Drops the indexes without a constraint; returns the statements that create them again. */
async function dropIndexes(client) {
  const { rows } = await client.query(`
    select index.indexrelid::regclass as name, pg_get_indexdef(index.indexrelid) as definition
      from pg_index as index join pg_class as "table" on "table".oid = index.indrelid
     where relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint where conindid = index.indexrelid)`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function requireIntegrity(url) {
  const dataSource = await openDatabase({ type: 'postgres', url }, () => undefined, { migrate: false });
  try {
    const examination = new Examination(new Snapshots(dataSource), new SystemClock());
    const { verdict, findings } = await examination.examine();
    if (verdict !== 'holds')
      throw new Error(
        `the seed violates invariants: ${JSON.stringify(
          findings.filter(({ breakCount }) => breakCount > 0),
          null,
          1,
        )}`,
      );
  } finally {
    await dataSource.destroy();
  }
}
