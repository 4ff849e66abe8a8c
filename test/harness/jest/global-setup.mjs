// Once per test run: one real PostgreSQL with a migrated template database. Each test file clones the template.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TEMPLATE = 'platform_template';

export default async function setup() {
  const { startPostgres } = await import('../../../dist/sandbox/postgres.js');
  const { migrationsFromFiles } = await import('../../../dist/database/migrations.js');
  const { openDatabase } = await import('../../../dist/database/data-source.js');
  const dataDir = runFolder(fastestFolder());
  const postgres = await startPostgres({ dataDir, durable: false });
  const admin = await openDatabase({ type: 'postgres', url: postgres.url('postgres') }, () => undefined, {
    migrate: false,
  });
  await admin.query(`create database ${TEMPLATE}`);
  await admin.destroy();
  const template = await openDatabase(
    { type: 'postgres', url: postgres.url(TEMPLATE), migrations: migrationsFromFiles() },
    () => undefined,
  );
  await template.destroy();
  process.env.TEST_POSTGRES = postgres.url('postgres');
  process.env.TEST_FOLDER = dataDir;
  process.env.SEEN_CODES = join(dataDir, 'seen-codes');
  process.env.GUARANTEE_RESULTS = join(dataDir, 'guarantee-results');
  mkdirSync(process.env.SEEN_CODES);
  mkdirSync(process.env.GUARANTEE_RESULTS);
  globalThis.testPostgres = { postgres, dataDir };
}

/** In memory where there is room: a database is a thousand files, which a disk takes half a second to copy. */
function fastestFolder() {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir();
  } catch {
    return tmpdir(); // no such folder on this system
  }
}

/** A folder of this run's own, which its end removes; those of runs that were ended before are removed here. */
function runFolder(parent) {
  const prefix = 'platform-test-';
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix)))
    if (!isRunning(Number(name.split('-')[2]))) rmSync(join(parent, name), { recursive: true, force: true });
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM'; // somebody else's
  }
}
