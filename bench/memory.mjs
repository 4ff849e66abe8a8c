// Memory growth of the API process while it streams a long statement and the audit log.
import pg from 'pg';
import { median, ROUNDS, printProgress } from './frame.mjs';
import { residentMegabytes } from './support/usage.mjs';

const MAX_GROWTH_MB = 50;
const SAMPLE_INTERVAL_MS = 100;

export const title =
  'Peak resident memory of the API process while it streams, less its idle memory; each round in a new process.';

// Inserted with SQL, since posting would take minutes; the rows keep the invariants of the ledger.
const MOVEMENTS = `
  set session_replication_role = replica;
  create temp table account_ids as
  select (ledger_account_named('00000000-0000-0000-0000-000000000000', 'asset.deposit-provider', 'ERC20', 'USDC')).id as provider,
         (ledger_account_named((select id from platform_user where email = 'long@example.org'), 'user.available', '', 'USDC')).id as own;
  insert into ledger_transaction (id, type, reference_type, reference_id, effective_at, description)
  select md5('long' || n)::uuid, 'deposit', 'deposit', md5('long' || n)::uuid, date_trunc('milliseconds', now()) - interval '2 days' + n * interval '0.1 second',
         'Deposit of 1 USDC' from generate_series(1, :rows) as n;
  insert into ledger_entry (transaction_id, account_id, asset, amount, balance_after, category, effective_at)
  select md5('long' || n)::uuid, case sign when 1 then own else provider end, 'USDC', sign, case sign when 1 then n end, 'deposit',
         date_trunc('milliseconds', now()) - interval '2 days' + n * interval '0.1 second'
    from account_ids, generate_series(1, :rows) as n, (values (-1), (1)) as side(sign) order by n, sign;
  update ledger_account set balance = balance + :rows where id = (select own from account_ids);`;

/** Streams a response of a new process. Returns its memory before (`idle`), at its peak and its growth in MB, and the bytes. */
async function measureStream(bench, url, email, path) {
  const api = await bench.api(url);
  let sampling;
  try {
    const token = await api.signIn(email);
    for (let warmUp = 0; warmUp < 20; warmUp++) await api.get('/api/health/live', token);
    const idle = residentMegabytes(api.pid);
    let peak = idle;
    sampling = setInterval(() => (peak = Math.max(peak, residentMegabytes(api.pid))), SAMPLE_INTERVAL_MS);
    const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${token}` } });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    let bytes = 0;
    for await (const piece of response.body) bytes += piece.length;
    return { idle, peak, grown: peak - idle, bytes };
  } finally {
    clearInterval(sampling);
    await api.stop();
  }
}

async function execute(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.small));
  const first = await bench.api(url);
  await first.signIn('long@example.org');
  await first.stop();
  printProgress('  writing the movements');
  await execute(url, MOVEMENTS.replaceAll(':rows', String(bench.large)), 'vacuum analyze');
  const large = await bench.copyOf(await bench.seeded(bench.large));
  const rows = [];
  for (const [what, database, email, path] of [
    ['statement as CSV', url, 'long@example.org', '/api/user/statement?format=csv'],
    ['statement as JSON', url, 'long@example.org', '/api/user/statement?format=json'],
    ['audit log as CSV', large, 'admin@example.com', '/api/admin/audit?format=csv'],
  ]) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await measureStream(bench, database, email, path));
      printProgress(
        `  ${what}: ${(rounds.at(-1).bytes / 1e6).toFixed(0)} MB read, +${rounds.at(-1).grown.toFixed(1)} MB`,
      );
    }
    const medianOf = (field) => median(rounds.map((round) => round[field]));
    rows.push({
      what: `${what}, ${bench.large.toLocaleString('en')} movements or entries`,
      figure: `${medianOf('peak').toFixed(0)} MB`,
      baseline: `idle: ${medianOf('idle').toFixed(0)} MB`,
      ratio: `+ ${medianOf('grown').toFixed(1)} MB`,
      target: `≤ + ${MAX_GROWTH_MB} MB`,
      reached: medianOf('grown') <= MAX_GROWTH_MB,
    });
  }
  return { rows };
}
