// Proofs: sealing the ledger, proofs to users, a day's tree of liabilities, audit packs, and their cost on the money path.
import { execFile, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { openDatabase } from '../dist/database/data-source.js';
import { migrationsFromFiles } from '../dist/database/migrations.js';
import { percentile, printProgress, timed } from './frame.mjs';
import { serverTime } from './support/cpu.mjs';
import { SIGNING_KEY } from './support/proof-services.mjs';
import { connectScanner } from './support/scans.mjs';
import { measurePostingsBesideSealing } from './support/sealing-beside.mjs';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const MIN_SEALED_PER_SECOND = 20_000; // transactions
const MIN_PACKED_PER_SECOND = 30_000; // entries, written and verified
const MAX_GROWTH_MB = 50;
const MAX_DAY_MB = 300;
const MAX_DAY_SECONDS = 60;
const MAX_INCLUSION_MS = 10;
const MAX_LIABILITY_MS = 50;
const MIN_POSTINGS_RATIO = 0.98;
const BEFORE_THE_DAY_ENDS = '2026-03-02T10:00:00Z'; // support/many-users.sql has the NAVs of this day and of the next
const MEMORY_LIMIT = '--max-old-space-size=320'; // as in production
const PROCESS = new URL('support/proof-process.mjs', import.meta.url);
const USAGE = new URL('support/usage.mjs', import.meta.url).href;
const MANY_USERS = new URL('support/many-users.sql', import.meta.url);

export const title = `Sealing and audit packs of the seed; liabilities to ${USERS.toLocaleString('en')} users. Each part in a process of its own, on a server without fsync; postings are committed to disk.`;

const execute = promisify(execFile);
const countText = (count) => count.toLocaleString('en');
const perSecond = (count) => `${countText(Math.round(count))}/s`;

/** Runs a part of support/proof-process.mjs. Returns its result, with the CPU milliseconds of PostgreSQL meanwhile. */
async function runInProcess(part, url, ...extraArguments) {
  const before = await serverTime(url);
  const child = fork(PROCESS, [part, ...extraArguments], {
    env: { ...process.env, DATABASE_URL: url },
    execArgv: [MEMORY_LIMIT],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [result] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`the process of the part ${part} has failed`))),
  ]);
  await once(child, 'exit');
  return { ...result, databaseMs: (await serverTime(url)) - before };
}

/** Runs a program and returns its figures (support/usage.mjs). */
async function runProgram(file, args, folder, env = {}) {
  const usage = join(folder, 'usage.json');
  await execute(process.execPath, [MEMORY_LIMIT, '--import', USAGE, file, ...args], {
    env: { ...process.env, ...env, BENCH_USAGE: usage },
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(readFileSync(usage, 'utf8'));
}

async function executeSql(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const atMostRow = (what, { figure, unit, most, baseline, baselineIs }) => ({
  what,
  figure: `${figure.toFixed(1)} ${unit}`,
  baseline: `${baselineIs}: ${baseline.toFixed(1)} ${unit}`,
  ratio: `${(figure / baseline).toFixed(2)} ×`,
  target: `≤ ${most} ${unit}`,
  reached: figure <= most,
});

/** A row for a rate per second. `baseline` is a duration in seconds, and the ratio is that of the durations. */
const rateRow = (what, { count, seconds, least, baseline, baselineIs }) => ({
  what,
  figure: perSecond(count / seconds),
  baseline: `${baselineIs}: ${baseline.toFixed(1)} s`,
  ratio: `${(seconds / baseline).toFixed(2)} ×`,
  target: `≥ ${perSecond(least)}`,
  reached: count / seconds >= least,
});

const growthRow = (what, { peakMb }, baseline, baselineIs) => ({
  what,
  figure: `${peakMb.toFixed(0)} MB`,
  baseline: `${baselineIs}: ${baseline.toFixed(0)} MB`,
  ratio: `+ ${(peakMb - baseline).toFixed(1)} MB`,
  target: `≤ + ${MAX_GROWTH_MB} MB`,
  reached: peakMb - baseline <= MAX_GROWTH_MB,
});

const processorLine = (what, { seconds, cpuMs, databaseMs }, count, item) =>
  `- ${what}: ${seconds.toFixed(1)} s; CPU per ${item}: ${((cpuMs * 1000) / count).toFixed(1)} µs of Node` +
  (databaseMs === undefined ? '.' : `, ${((databaseMs * 1000) / count).toFixed(1)} µs of PostgreSQL.`);

/** Inserts the rows of all leaves into a copy of `proof_leaf` by one statement, without hashes and tiles. */
const BARE_LEAVES = `
  create table bare_leaf (like proof_leaf including all);
  insert into bare_leaf (leaf_index, transaction_id, nonce)
  select row_number() over (order by min(id)) - 1, transaction_id, uuid_send(gen_random_uuid())
    from ledger_entry group by transaction_id;`;

async function sealing(url) {
  const bare = (await timed(() => executeSql(url, BARE_LEAVES, 'drop table bare_leaf'))) / 1000;
  const seal = await runInProcess('seal', url);
  const { sealed, seconds } = seal;
  const inclusion = await runInProcess('inclusion', url);
  return {
    rows: [
      rateRow(`transactions sealed, ${countText(sealed)} in all`, {
        count: sealed,
        seconds,
        least: MIN_SEALED_PER_SECOND,
        baseline: bare,
        baselineIs: 'the bare rows by one statement',
      }),
      growthRow('memory of the sealing process', seal, seal.startMb, 'before'),
      atMostRow(`inclusion proof at ${countText(sealed)} transactions, P99`, {
        figure: percentile(inclusion.proof, 0.99),
        unit: 'ms',
        most: MAX_INCLUSION_MS,
        baseline: percentile(inclusion.row, 0.99),
        baselineIs: 'the row of the transaction',
      }),
    ],
    details: [
      processorLine('Sealing', seal, sealed, 'transaction'),
      `- An inclusion proof: ${percentile(inclusion.proof, 0.5).toFixed(1)} ms (median).`,
    ],
  };
}

async function liabilities(bench) {
  const url = await bench.empty();
  const options = { type: 'postgres', url, migrations: migrationsFromFiles() };
  await (await openDatabase(options, () => undefined)).destroy();
  await executeSql(url, readFileSync(MANY_USERS, 'utf8').replaceAll(':users', String(USERS)));
  const scanner = await connectScanner(url);
  const scan = (await scanner.timeScan('ledger_entry')) / 1000;
  await scanner.end();
  const day = await runInProcess('day', url, BEFORE_THE_DAY_ENDS);
  if (day.days !== 1) throw new Error(`${day.days} days were closed`);
  const { proof, row } = await runInProcess('liabilities', url, BEFORE_THE_DAY_ENDS);
  return {
    rows: [
      atMostRow(`tree of a day with ${countText(USERS)} users`, {
        figure: day.seconds,
        unit: 's',
        most: MAX_DAY_SECONDS,
        baseline: scan,
        baselineIs: 'one sequential scan of their entries',
      }),
      atMostRow('memory of the process that builds it', {
        figure: day.peakMb,
        unit: 'MB',
        most: MAX_DAY_MB,
        baseline: day.startMb,
        baselineIs: 'before',
      }),
      atMostRow(`proof of liabilities at ${countText(USERS)} users, P99`, {
        figure: percentile(proof, 0.99),
        unit: 'ms',
        most: MAX_LIABILITY_MS,
        baseline: percentile(row, 0.99),
        baselineIs: 'the row of the user',
      }),
    ],
    details: [
      processorLine('The day', day, USERS, 'user'),
      `- A proof of liabilities: ${percentile(proof, 0.5).toFixed(1)} ms (median).`,
    ],
  };
}

/** Writes and verifies the pack of all days. Returns the figures of both, and the seconds that SHA-256 of its files takes. */
async function packOf(url) {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-pack-'));
  try {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(
      `select min(effective_at at time zone 'UTC')::date::text as from, max(effective_at at time zone 'UTC')::date::text as to,
              count(*)::float8 as entries from ledger_entry`,
    );
    await client.end();
    const [{ from, to, entries }] = rows;
    const file = join(folder, 'pack.tar.gz');
    const before = await serverTime(url);
    const written = await runProgram(
      'dist/operations/run.js',
      ['audit-pack', '--from', from, '--to', to, '--out', file],
      folder,
      { DATABASE_URL: url, LOG_SIGNING_KEY: SIGNING_KEY },
    );
    written.databaseMs = (await serverTime(url)) - before;
    await execute('tar', ['-xzf', file, '-C', folder]);
    const pack = join(folder, `audit-pack-${from}-${to}`);
    const hashed = (await timed(() => hashFiles(pack))) / 1000;
    const verified = await runProgram(join(pack, 'verify.mjs'), [], folder);
    return { entries, written, verified, hashed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function hashFiles(folder) {
  for (const name of readdirSync(folder))
    await pipeline(createReadStream(join(folder, name)), createHash('sha256'));
}

async function auditPack(bench, url) {
  // A tenth of the rows: during a shorter run the heap would not reach its working size.
  const few = await bench.copyOf(await bench.seeded(bench.large / 10));
  await runInProcess('seal', few);
  const small = await packOf(few);
  const scanner = await connectScanner(url);
  const scan = (await scanner.timeScan('ledger_entry')) / 1000;
  await scanner.end();
  const { entries, written, verified, hashed } = await packOf(url);
  const baselineIs = `with ${countText(small.entries)} entries`;
  return {
    rows: [
      rateRow(`entries written to an audit pack, ${countText(entries)} in all`, {
        count: entries,
        seconds: written.seconds,
        least: MIN_PACKED_PER_SECOND,
        baseline: scan,
        baselineIs: 'one sequential scan',
      }),
      growthRow('memory of the process that writes it', written, small.written.peakMb, baselineIs),
      rateRow('entries of the audit pack verified', {
        count: entries,
        seconds: verified.seconds,
        least: MIN_PACKED_PER_SECOND,
        baseline: hashed,
        baselineIs: 'SHA-256 of its files',
      }),
      growthRow('memory of the process that verifies it', verified, small.verified.peakMb, baselineIs),
    ],
    details: [
      processorLine('Writing a pack', written, entries, 'entry'),
      processorLine('Verifying it', verified, entries, 'entry'),
    ],
  };
}

async function besideSealing() {
  const { figures, sealingMs, postings } = await measurePostingsBesideSealing(PROCESS);
  const ratio = figures.beside / figures.alone;
  return {
    rows: [
      {
        what: 'postings by UnitOfWork and LedgerService, 16 callers, while they are sealed',
        figure: perSecond(figures.beside),
        baseline: `without sealing: ${perSecond(figures.alone)}`,
        ratio: `${ratio.toFixed(3)} ×`,
        target: `≥ ${MIN_POSTINGS_RATIO} ×`,
        reached: ratio >= MIN_POSTINGS_RATIO,
      },
    ],
    details: [
      `- Sealing beside postings: ${((sealingMs * 1000) / postings).toFixed(1)} µs of Node per posting.`,
    ],
  };
}

export async function run(bench) {
  const url = await bench.copyOf(await bench.seeded(bench.large));
  const parts = [
    ['sealing', () => sealing(url)],
    ['audit pack', () => auditPack(bench, url)],
    ['liabilities', () => liabilities(bench)],
    ['money path', besideSealing],
  ];
  const results = [];
  for (const [name, work] of parts) {
    const result = await work();
    results.push(result);
    for (const row of result.rows)
      printProgress(`  ${name}: ${row.what}: ${row.figure} (${row.target}), ${row.baseline}`);
    for (const line of result.details) printProgress(`  ${line}`);
  }
  return {
    rows: results.flatMap(({ rows }) => rows),
    details: results.flatMap(({ details }) => details).join('\n'),
  };
}
