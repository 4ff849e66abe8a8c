// Runs one part of the measure `proofs` in a process of its own, so that the measured memory is that of the part. Arguments:
// the part and, optionally, the time of the domain clock. DATABASE_URL names the database.
import 'reflect-metadata';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { timed } from '../frame.mjs';
import { openProofServices } from './proof-services.mjs';
import { measureUsage } from './usage.mjs';

const NOT_STOPPING = new AbortController().signal;
const PROOFS = 500;
const SEAL_EVERY_MS = 1000;

const PARTS = {
  /** Takes all transactions into the log. */
  async seal({ keys, sealing }) {
    await keys.openLog();
    const end = measureUsage();
    return { sealed: await sealing.sealCommittedTransactions(NOT_STOPPING), ...end() };
  },

  /** Milliseconds of the inclusion proofs of random transactions, and of reading the rows of these transactions. */
  async inclusion({ dataSource, proofs }) {
    const ids = await randomIds(dataSource, 'transaction_id', 'proof_leaf');
    return timeAlternately(ids, {
      proof: async (id) => {
        const [leaf] = await proofs.getLeavesOfTransactions([id]);
        await proofs.proveInclusion([leaf.leafIndex]);
      },
      row: (id) => dataSource.query('select * from ledger_transaction where id = $1', [id]),
    });
  },

  /** Opens the log, moves the clock past the end of the day, and closes that day. */
  async day({ keys, closing, clock }) {
    await keys.openLog();
    clock.moveTo(new Date(clock.now().getTime() + 25 * 3_600_000));
    const end = measureUsage();
    return { days: await closing.closeDueDays(NOT_STOPPING), ...end() };
  },

  /** Milliseconds of the proofs of liabilities of random users, and of reading the users. */
  async liabilities({ dataSource, liabilityProofs }) {
    const ids = await randomIds(dataSource, 'id', 'platform_user');
    return timeAlternately(ids, {
      proof: (id) => liabilityProofs.getUserLiability(id, null, 'USDC'),
      row: (id) => dataSource.query('select * from platform_user where id = $1', [id]),
    });
  },

  /**
   * Seals all committed transactions at each message and answers with the CPU time of the process so far. Between the
   * messages `start` and `stop` it also seals every second.
   */
  async job({ sealing }) {
    let isRunning = false;
    let loop = Promise.resolve();
    const seal = () => sealing.sealCommittedTransactions(NOT_STOPPING);
    process.on('message', async (message) => {
      isRunning = message === 'start';
      await loop;
      await seal();
      if (isRunning)
        loop = (async () => {
          for (; isRunning; await sleep(SEAL_EVERY_MS)) await seal();
        })();
      process.send(process.cpuUsage());
    });
    process.send('ready');
    await once(process, 'disconnect');
  },
};

async function randomIds(dataSource, column, table) {
  const rows = await dataSource.query(
    `select ${column} as id from ${table} order by random() limit ${PROOFS}`,
  );
  return rows.map(({ id }) => id);
}

/** The milliseconds of each read by its name. All reads are executed for an id, one after the other, before the next id. */
async function timeAlternately(ids, reads) {
  const times = Object.fromEntries(Object.keys(reads).map((name) => [name, []]));
  for (const id of ids)
    for (const [name, read] of Object.entries(reads)) times[name].push(await timed(() => read(id)));
  return times;
}

const [part, now] = process.argv.slice(2);
const services = await openProofServices(process.env.DATABASE_URL, now && new Date(now));
const result = await PARTS[part](services);
if (process.connected) process.send(result);
await services.dataSource.destroy();
process.exit(0);
