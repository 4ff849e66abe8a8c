import { setTimeout as sleep } from 'node:timers/promises';
import { recordGuarantee } from '../harness/jest/guarantees.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import { SmallDisk } from '../harness/small-disk.js';
import { FaultEnvironment, queryDirectly } from '../verification/mixed-load/environment.js';
import { runLoad } from '../verification/mixed-load/mixed-load.js';

// All files of a PostgreSQL server, its write-ahead log included, are on a small disk, which the test fills while requests move money.

const DISK_MB = 384;
const FULL_DISKS = 2;
const MAX_PAUSE_MS = 1000;
const RETRY_MS = 20;
/** Without recycled files the log needs space soon. A server that has ended is started by its supervisor, here by the test. */
const SERVER_SETTINGS = { max_wal_size: '64MB', wal_recycle: 'off', restart_after_crash: 'off' };

let disk: SmallDisk;

beforeAll(async () => {
  disk = await SmallDisk.mount(DISK_MB);
});
afterAll(() => disk?.unmount());

async function applySettings(environment: FaultEnvironment): Promise<void> {
  for (const [name, value] of Object.entries(SERVER_SETTINGS))
    await queryDirectly(environment, `alter system set ${name} = '${value}'`);
  await queryDirectly(environment, 'select pg_reload_conf()');
}

/** Begins new files of the log until PostgreSQL ends, because it cannot create one. */
async function useUpLog(environment: FaultEnvironment): Promise<number> {
  let exitCode: number | undefined;
  void environment.databaseEnd.then((code) => (exitCode = code));
  const beginFile = `select pg_logical_emit_message(true, 'test', ''), pg_switch_wal()`;
  while (exitCode === undefined) {
    await queryDirectly(environment, beginFile).catch(() => undefined); // fails when PostgreSQL ends
    await sleep(RETRY_MS);
  }
  return exitCode;
}

it(`when the disk of the database is full and PostgreSQL ends, acknowledged writes are not lost or doubled, and the service goes on when space is free (SEED=${SEED})`, async () => {
  const random = new SeededRandom(SEED);
  const environment = await FaultEnvironment.start(disk.folder('postgres'));
  const exitCodes: number[] = [];
  const fillDisk = async (ownRandom: SeededRandom) => {
    await applySettings(environment);
    disk.fill();
    await sleep(ownRandom.integer(0, MAX_PAUSE_MS)); // writes that need space in a table fail, the others succeed
    exitCodes.push(await useUpLog(environment));
    disk.freeSpace();
    await environment.startDatabase();
  };
  const injections = Array.from({ length: FULL_DISKS }, () => fillDisk);
  const outcome = await runLoad(environment, injections, random, { users: 4, operators: 2 });
  expect([...outcome.differences, ...outcome.inconsistencies]).toEqual([]);
  expect(exitCodes).toHaveLength(FULL_DISKS);
  expect(exitCodes).not.toContain(0);
  const { counts } = outcome;
  expect(counts.unavailable).toBeGreaterThan(0);
  expect(counts.failedOtherwise).toBe(0);
  recordGuarantee(
    'G-80',
    `the disk full ${FULL_DISKS} times: ${counts.answered} writes acknowledged, 0 lost, 0 doubled; ${counts.unavailable} attempts answered 503 with Retry-After, ${counts.outcomeUnknown} with an unknown outcome; ` +
      `first write after the start of the server: ${outcome.recoveryMs.map((ms) => `${Math.round(ms)} ms`).join(', ')}`,
  );
});
