// How many postings a second leave one account of the platform: beside a ledger that locks both accounts, and beside
// the bare statement.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openDatabase } from '../dist/database/data-source.js';
import { UnitOfWork } from '../dist/database/unit-of-work.js';
import { Money } from '../dist/kernel/money.js';
import { Ledger } from '../dist/modules/ledger/ledger.service.js';
import { depositCompleted } from '../dist/modules/ledger/postings.js';
import { Meters } from '../dist/telemetry/meters.js';
import { alternating } from './frame.mjs';
import { poolOn, startDurable } from './support/durable.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';

const CLIENTS = 16;
const USERS = 1_000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const TEXT = readFileSync(new URL('support/two-locks.sql', import.meta.url), 'utf8');

export const title = `Deposits from one account of the platform to ${USERS.toLocaleString('en')} users, ${CLIENTS} connections, each posting committed to disk on its own.`;

const users = Array.from({ length: USERS }, () => randomUUID());
const anyUser = () => users[Math.floor(Math.random() * USERS)];
const posting = () =>
  depositCompleted({
    depositId: randomUUID(),
    userId: anyUser(),
    network: 'ERC20',
    asset: 'USDC',
    received: Money.of('1.25'),
    credited: Money.of('1.25'),
    at: new Date(),
  });

/** The statement that `Ledger.post` makes of a posting. */
async function statementOf(made) {
  let statement;
  const tx = { query: async (text, values) => (statement = { text, values }) };
  await new Ledger(new Meters()).post(tx, made);
  return statement;
}

function bare(pool) {
  return perSecond({ clients: CLIENTS, seconds: SECONDS }, async () => pool.query(await statementOf(posting())));
}

async function twoLocks(url) {
  const pool = poolOn(url, CLIENTS);
  await pool.query(TEXT);
  await pool.query(`insert into account (name, currency, allow_negative) values ('platform', 'USDC', true)`);
  await pool.query(
    `insert into account (name, currency, allow_negative) select n, 'USDC', false from generate_series(1, ${USERS}) as n`,
  );
  const post = () => {
    const taker = 2 + Math.floor(Math.random() * USERS);
    const values = [randomUUID(), 1, taker, '1.25', new Date()];
    return pool.query('select post_transfer($1, $2, $3, $4, $5)', values);
  };
  return {
    figure: () => perSecond({ clients: CLIENTS, seconds: SECONDS }, post),
    close: () => pool.end(),
  };
}

/** Gives `work` the three ways to post, and the address of the server. */
export async function parts(work) {
  const postgres = await startDurable();
  const ours = await postgres.migrated('ours');
  const theirs = await twoLocks(await postgres.database('two_locks'));
  const pool = poolOn(ours, CLIENTS);
  const options = { type: 'postgres', url: ours, poolSize: CLIENTS };
  const dataSource = await openDatabase(options, () => undefined, { migrate: false });
  const [uow, ledger] = [new UnitOfWork(dataSource), new Ledger(new Meters())];
  try {
    const code = () => uow.run((tx) => ledger.post(tx, posting()));
    return await work(
      {
        locking: theirs.figure,
        bare: () => bare(pool),
        code: () => perSecond({ clients: CLIENTS, seconds: SECONDS }, code),
      },
      postgres.url,
    );
  } finally {
    await dataSource.destroy();
    await pool.end();
    await theirs.close();
    await postgres.stop();
  }
}

export async function run() {
  const figures = await parts(alternating);
  return {
    rows: [
      atLeastRow('postings a second, one hot account', {
        figure: figures.bare,
        baseline: figures.locking,
        baselineIs: 'both accounts locked',
        least: 8,
      }),
      atLeastRow('the same by UnitOfWork and Ledger', {
        figure: figures.code,
        baseline: figures.bare,
        baselineIs: 'the bare statement',
        least: 0.8,
      }),
    ],
  };
}
