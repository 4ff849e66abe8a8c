// Postings per second from one platform account, compared with a ledger that locks both accounts (the other ledger), with the
// bare statement and with another checkout.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openDatabase } from '../dist/database/data-source.js';
import { PREPARING } from '../dist/database/prepared.js';
import { UnitOfWork } from '../dist/database/unit-of-work.js';
import { Money } from '../dist/common/money.js';
import { depositCompleted } from '../dist/modules/core/ledger/domain/postings.js';
import { alternating } from './frame.mjs';
import { otherCheckout, startOther } from './support/against.mjs';
import { poolOn, startDurable } from './support/durable.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';
import { ledger, named, sendAlone, sendInTransaction, statementOf } from './support/posting-statement.mjs';

const CLIENTS = 16;
const USERS = 1_000;
const SLOW_MS = 5;
/** PostgreSQL waits SLOW_MS before each flush, once for all concurrent commits, which simulates a slower disk. */
const SLOW_COMMITS = `-c commit_delay=${SLOW_MS * 1000} -c commit_siblings=0`;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const MIN_RATIO_TO_OTHER_CHECKOUT = 2;
const TWO_LOCKS_SQL = readFileSync(new URL('support/two-locks.sql', import.meta.url), 'utf8');

export const title = `Deposits from one account of the platform to ${USERS.toLocaleString('en')} users, ${CLIENTS} connections, each posting committed to disk on its own (fsync and synchronous_commit on).`;

const users = Array.from({ length: USERS }, () => randomUUID());
const anyUser = () => users[Math.floor(Math.random() * USERS)];
const posting = (userId = anyUser()) =>
  depositCompleted({
    depositId: randomUUID(),
    userId,
    network: 'ERC20',
    asset: 'USDC',
    received: Money.of('1.25'),
    credited: Money.of('1.25'),
    at: new Date(),
  });

/** Creates the other ledger with a platform account, whose id is 1, and the accounts of users. */
async function createTwoLocksLedger(pool) {
  await pool.query(TWO_LOCKS_SQL);
  await pool.query(`insert into account (name, currency, allow_negative) values ('platform', 'USDC', true)`);
  await pool.query(
    `insert into account (name, currency, allow_negative) select n, 'USDC', false from generate_series(1, ${USERS}) as n`,
  );
}

/**
 * Opens the accounts of the users and has PostgreSQL count them, as it does by itself within a minute. Without statistics it
 * takes the index of the kinds of accounts for as good as that of their identity, and reads the accounts of all users.
 */
async function openAccounts(pool) {
  await pool.query(await statementOf(...users.map(posting)));
  await pool.query('analyze');
}

function transferStatement() {
  const payee = 2 + Math.floor(Math.random() * USERS);
  const values = [randomUUID(), 1, payee, '1.25', new Date()];
  return { text: 'select post_transfer($1, $2, $3, $4, $5)', values };
}

/** Calls `work` with the variants. A later checkout's bench calls this function and the variant `code` (other-checkout.mjs). */
export async function parts(work) {
  const postgres = await startDurable();
  const ours = poolOn(await postgres.migrated('ours'), CLIENTS);
  const theirs = poolOn(await postgres.database('two_locks'), CLIENTS);
  await openAccounts(ours);
  await createTwoLocksLedger(theirs);
  const withSlowCommits = ({ options }) => poolOn(options.connectionString, CLIENTS, SLOW_COMMITS);
  const oursSlow = withSlowCommits(ours);
  const theirsSlow = withSlowCommits(theirs);
  const options = {
    type: 'postgres',
    url: ours.options.connectionString,
    poolSize: CLIENTS,
    extra: PREPARING,
  };
  const dataSource = await openDatabase(options, () => undefined, { migrate: false });
  const unitOfWork = new UnitOfWork(dataSource);
  const load = (once) => () => perSecond({ clients: CLIENTS, seconds: SECONDS }, once);
  try {
    return await work({
      locking: load(() => sendInTransaction(theirs, named(transferStatement()))),
      ours: load(async () => sendInTransaction(ours, named(await statementOf(posting())))),
      lockingSlow: load(() => sendInTransaction(theirsSlow, named(transferStatement()))),
      oursSlow: load(async () => sendInTransaction(oursSlow, named(await statementOf(posting())))),
      lockingAlone: load(() => sendAlone(theirs, named(transferStatement()))),
      oursAlone: load(async () => sendAlone(ours, named(await statementOf(posting())))),
      bare: load(async () => sendAlone(ours, await statementOf(posting()))),
      code: load(() => unitOfWork.runInTransaction((tx) => ledger.post(tx, posting()))),
    });
  } finally {
    await dataSource.destroy();
    for (const pool of [ours, theirs, oursSlow, theirsSlow]) await pool.end();
    await postgres.stop();
  }
}

export async function run() {
  const other = otherCheckout && (await startOther('postings'));
  const figures = await parts((variants) =>
    alternating(other ? { ...variants, other: () => other.ask() } : variants),
  ).finally(() => other?.stop());
  const ratio = (figure, baseline) => `${(figure / baseline).toFixed(2)} ×`;
  const { ours, oursAlone, lockingAlone, code } = figures;
  const byCode = 'the same by UnitOfWork and LedgerService';
  const rows = [
    atLeastRow('postings a second, one hot account', {
      figure: figures.ours,
      baseline: figures.locking,
      baselineIs: 'both accounts locked',
      least: 8,
    }),
    atLeastRow(`the same where a commit takes ${SLOW_MS} ms more`, {
      figure: figures.oursSlow,
      baseline: figures.lockingSlow,
      baselineIs: 'both accounts locked',
      least: 8,
    }),
    atLeastRow(byCode, {
      figure: code,
      baseline: figures.bare,
      baselineIs: 'the bare statement',
      least: 0.8,
    }),
  ];
  if (otherCheckout) {
    const baselineIs = `source ${otherCheckout.name}`;
    rows.push(
      atLeastRow(byCode, {
        figure: code,
        baseline: figures.other,
        baselineIs,
        least: MIN_RATIO_TO_OTHER_CHECKOUT,
      }),
    );
  }
  return {
    rows,
    details: [
      `- A single posting in one round trip: ${ratio(oursAlone, lockingAlone)} the other ledger.`,
      `- UnitOfWork and LedgerService compared with begin, the statement and commit by node-postgres: ${ratio(code, ours)}.`,
    ].join('\n'),
  };
}
