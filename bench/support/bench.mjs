// The environment of measures: a PostgreSQL server whose seeded databases are kept between runs, the sandbox's providers,
// and API processes on copies of the databases.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lockData } from '../../dist/sandbox/data-lock.js';
import { startOutsideWorld } from '../../dist/sandbox/outside-world.js';
import { startPostgres } from '../../dist/sandbox/postgres.js';
import { printProgress } from '../frame.mjs';
import { seed, STEPS, sqlOf } from '../seed/seed.mjs';
import { startApiWithoutNightlyCheck } from './api.mjs';

const FULL = 1_000_000;
const SMALL = 10_000;
const USERS = 10_000;
const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** The folder of this seed, these migrations and this month. Removes every other folder in which no server runs. */
function dataFolder() {
  const parts = [
    ...readdirSync(MIGRATIONS)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .map((file) => readFileSync(new URL(file, MIGRATIONS), 'utf8')),
    ...STEPS.map(sqlOf),
    readFileSync(new URL('../seed/seed.mjs', import.meta.url), 'utf8'),
    new Date().toISOString().slice(0, 7),
  ];
  const key = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12);
  const home = process.env.BENCH_DATA ?? join(tmpdir(), 'platform-bench');
  mkdirSync(home, { recursive: true });
  for (const name of readdirSync(home)) {
    const isIdle = !existsSync(join(home, name, 'cluster', 'postmaster.pid'));
    if (name !== key && isIdle) rmSync(join(home, name), { recursive: true, force: true });
  }
  return join(home, key);
}

/** Sealing a seeded database takes up to a minute, in which requests take twice as long. */
async function waitUntilSealed(url) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query(
        `select coalesce((select sealed_entry_id from proof_log), 0) < coalesce((select max(id) from ledger_entry), 0) as waits`,
      );
      if (!rows[0].waits) return;
      await sleep(500);
    }
  } finally {
    await client.end();
  }
}

/** Starts the PostgreSQL server. `close` stops it and the API processes and providers, and drops the copies. */
export async function openBench() {
  const dataDir = dataFolder();
  mkdirSync(dataDir, { recursive: true });
  const lock = await lockData(dataDir);
  if (!lock.isAcquired) throw new Error(`another run is in progress (process ${lock.holderPid})`);
  const postgres = await startPostgres({ dataDir, durable: false });
  const endOfServer = [() => postgres.stop(), lock.release];
  const endOfClients = [];
  const copies = [];
  let surroundings;

  const onServer = async (sql) => {
    const client = new pg.Client(postgres.url('postgres'));
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };

  /** The name of a database with `rows` transactions; seeds it if it does not exist. */
  async function seeded(rows, users = USERS) {
    const name = `seed_${rows}_${users}`;
    const existing = await onServer(`select from pg_database where datname = '${name}'`);
    if (existing.length > 0) return name;
    const unfinished = `${name}_unfinished`;
    await onServer(`drop database if exists ${unfinished} with (force)`);
    await onServer(`create database ${unfinished}`);
    printProgress(`  seeding ${rows.toLocaleString('en')} transactions`);
    await seed(postgres.url(unfinished), {
      rows,
      users,
      printProgress: (line) => printProgress(`    ${line}`),
    });
    await onServer(`alter database ${unfinished} rename to ${name}`);
    return name;
  }

  /**
   * Copies the database `template` and returns the URL of the copy, which `close` drops. `file_copy` does not write the
   * pages to the write-ahead log.
   */
  async function copyOf(template) {
    const name = `run_${process.pid}_${copies.length}`;
    copies.push(name);
    await onServer(`create database ${name} template ${template} strategy file_copy`);
    return postgres.url(name);
  }

  const empty = () => copyOf('template0');

  /** Starts an API process on a database, and the providers before the first one. Waits until it has sealed all transactions. */
  async function api(databaseUrl, settings = {}) {
    surroundings ??= await startSurroundings();
    const withoutMail = { SMTP_URL: '', MAIL_FROM: '' };
    const env = { ...surroundings.env, ...withoutMail, ...settings, DATABASE_URL: databaseUrl };
    const started = await startApiWithoutNightlyCheck(env, surroundings.providers);
    endOfClients.unshift(() => started.stop());
    await waitUntilSealed(databaseUrl);
    return started;
  }

  async function startSurroundings() {
    const folder = mkdtempSync(join(tmpdir(), 'platform-bench-surroundings-'));
    const outside = await startOutsideWorld({
      dataDir: folder,
      api: { url: 'http://127.0.0.1:9' }, // no process listens there: providers send no callbacks
      environment: { DATABASE_URL: postgres.url('postgres') },
    });
    endOfClients.unshift(async () => {
      await outside.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    return outside;
  }

  return {
    postgres,
    small: SMALL,
    large: Number(process.env.BENCH_ROWS ?? FULL),
    seeded,
    copyOf,
    empty,
    api,
    async close() {
      for (const end of endOfClients) await end();
      for (const name of copies) await onServer(`drop database if exists ${name} with (force)`);
      for (const end of endOfServer) await end();
    },
  };
}
