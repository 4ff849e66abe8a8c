// Starts one PostgreSQL server with a migrated template database per test run. Each test file copies the template.
import { mkdtempSync, readdirSync, rm, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import compile, { compiledUrl } from '../../../scripts/compile-tests.mjs';

export default async function setup() {
  await compile();
  const { startPostgres } = await import(compiledUrl('src/sandbox/postgres.ts'));
  const { createTemplate } = await import(compiledUrl('test/harness/database.ts'));
  const dataDir = runFolder(process.env.TEST_DATA_PARENT ?? fastestFolder());
  const packageFolder = process.env.POSTGRES_FOLDER;
  const postgres = await startPostgres({ dataDir, durable: false, packageFolder });
  process.env.TEST_POSTGRES = postgres.url('postgres');
  await createTemplate();
  process.env.TEST_FOLDER = dataDir;
  // .ci/run sets KEPT_RESULTS, so that a run that repeats the failed files adds its results to those of the first run.
  const keptResults = process.env.KEPT_RESULTS ?? dataDir;
  process.env.RECORDED_ERROR_CODES = join(keptResults, 'error-codes');
  process.env.OPENAPI_FILE = join(keptResults, 'openapi.json');
  process.env.GUARANTEE_RESULTS = join(dataDir, 'guarantees');
  globalThis.testPostgres = { postgres, dataDir };
}

/** `/dev/shm` if it has 2 GiB free: copying a database, about a thousand files, takes half a second on a disk. */
function fastestFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 2 ** 31 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir(); // no such folder on this system
  }
}

/** Creates the folder of this run, which global-teardown.mjs removes, and removes the folders of killed runs. */
function runFolder(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^platform-test-(\d+)-\w{6}$/.exec(name) ?? [];
    try {
      process.kill(Number(pid), 0);
    } catch ({ code }) {
      const hasEnded = code === 'ESRCH';
      if (hasEnded) rm(join(parent, name), { recursive: true, force: true }, () => undefined);
    }
  }
  return mkdtempSync(join(parent, `platform-test-${process.pid}-`));
}
