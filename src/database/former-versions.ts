import type { QueryRunner } from 'typeorm';

/** The names of the former migrations 001 to 082, in their order. */
const FORMER_NAMES = `
  database ledger audit users wallets admins auth strategies investments webhooks deposits withdrawals screening alerts
  transactions treasury notifications subscriptions faucet integrity reconciliation sla user-admin reports list-totals
  admin-deposits session-devices addresses api-keys live mail proofs liabilities fee-rates calls-together money-path
  open-investments-by-status fewer-plans live-event-order compaction-plans fewer-parses one-trigger-per-posting
  webhooks-after-email-change hash-forms unused-index apy-from-the-next-day reversed-deposits audit-of-a-subject
  approvals payments-the-chain-refutes security-holds security-mail proposed-wallets realised-amounts idempotency-claims
  calls-one-by-one domain-events turns-of-users sums-from-rows event-alerts sealed-credentials refused-changes records
  figures-of-moves second-records figures-of-pending reports-without-amount deposits-by-provider-id second-factors
  origins-of-transfers accounts-of-admins callbacks-and-verdicts account-locks second-factors-of-admins limit-tiers
  attempts-of-callbacks list-cursors search books operators accounts-of-users comments`
  .trim()
  .split(/\s+/);

/** The first file of the present migrations. */
const FIRST_OF_BASELINE = 101;

/**
 * The application names of the database sessions that each process of a former version keeps open. Processes of this version use
 * them, too, but only after their migrations.
 */
const SESSIONS = ['stablecoin-platform', 'stablecoin-platform events', 'stablecoin-platform notices'];

interface Name {
  readonly name: string;
}

/** The newest migration of the former numbers, 001 to 082, that the database has applied; undefined for a database of the baseline. */
export async function formerNumber(runner: QueryRunner): Promise<number | undefined> {
  if (!(await runner.hasTable('migrations'))) return undefined;
  const [row] = (await runner.query(
    'select max(timestamp)::int as newest from migrations where timestamp < $1',
    [FIRST_OF_BASELINE],
  )) as [{ newest: number | null }];
  return row.newest ?? undefined;
}

/** Throws unless the database has applied exactly the migrations of the former numbers up to `newest`. */
export async function requireFormerMigrations(runner: QueryRunner, newest: number): Promise<void> {
  const rows = (await runner.query('select name from migrations order by timestamp, id')) as Name[];
  const applied = rows.map(({ name }) => name);
  const expected = FORMER_NAMES.slice(0, newest).map(
    (name, index) => name + `${index + 1}`.padStart(13, '0'),
  );
  const longer = applied.length > expected.length ? applied : expected;
  const different = longer.findIndex((_, index) => applied[index] !== expected[index]);
  if (different < 0) return;
  throw new Error(
    `The table migrations is not that of a former version: entry ${different + 1} is ${applied[different] ?? 'missing'}, expected is ${expected[different] ?? 'none'}. Nothing was changed.`,
  );
}

/**
 * Throws while processes of a former version are connected: they would fail, or write rows in a form that the upgrade has already
 * converted. Sessions of migrations do not count, so that processes which start together wait for one another.
 */
export async function requireNoFormerProcesses(runner: QueryRunner): Promise<void> {
  const sessions = (await runner.query(
    `select concat_ws(' ', application_name, 'from ' || host(client_addr)) as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = any($1) group by 1 order by 1`,
    [SESSIONS],
  )) as Name[];
  if (sessions.length === 0) return;
  const names = sessions.map(({ name }) => name).join(', ');
  throw new Error(
    `Processes of the former version are connected: stop all of them, then start again (sessions: ${names}).`,
  );
}
