// Starts one PostgreSQL server with a migrated template database per test run. Each test file copies the template.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import compile, { compiledUrl } from './compile.mjs';

export const TEMPLATE = 'platform_template';
const GIB = 2 ** 30;

export default async function setup() {
  await compile();
  const { startPostgres } = await import(compiledUrl('src/sandbox/postgres.ts'));
  const { migrationsFromFiles } = await import(compiledUrl('src/database/migrations.ts'));
  const { openDatabase } = await import(compiledUrl('src/database/data-source.ts'));
  const dataDir = await runFolder(process.env.TEST_DATA_PARENT ?? fastestFolder());
  const postgres = await startPostgres({
    dataDir,
    durable: false,
    packageFolder: process.env.POSTGRES_FOLDER,
  });
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
  // .ci/run sets KEPT_RESULTS, so that a run that repeats the failed files adds its results to those of the first run.
  const keptResults = process.env.KEPT_RESULTS ?? dataDir;
  process.env.RECORDED_ERROR_CODES = join(keptResults, 'error-codes');
  process.env.OPENAPI_FILE = join(keptResults, 'openapi.json');
  process.env.GUARANTEE_RESULTS = join(dataDir, 'guarantee-results');
  mkdirSync(process.env.RECORDED_ERROR_CODES, { recursive: true });
  mkdirSync(process.env.GUARANTEE_RESULTS);
  globalThis.testPostgres = { postgres, dataDir };
}

/**
 * `/dev/shm` if it has 2 GiB free: copying a database, about a thousand files, takes half a second on a disk. Files in
 * `/dev/shm` use the memory of the container, so its limit has to be at least 6 GiB.
 */
function fastestFolder() {
  const memory = '/dev/shm';
  const limit = process.constrainedMemory?.() || Infinity;
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= 2 * GIB && limit >= 6 * GIB ? memory : tmpdir();
  } catch {
    return tmpdir(); // no such folder on this system
  }
}

/** Creates the folder of this run, which global-teardown.mjs removes, and removes the folders of killed runs. */
async function runFolder(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^platform-test-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) await removeLeftover(join(parent, name));
  }
  return mkdtempSync(join(parent, `platform-test-${process.pid}-`));
}

async function removeLeftover(folder) {
  try {
    const { endOrphanedPostgres } = await import(compiledUrl('src/sandbox/postgres.ts'));
    await endOrphanedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to another user, or another run is removing it.
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM'; // a process of another user
  }
}
