// Postings per second compared with pgledger (https://github.com/pgr0ss/pgledger), a published ledger in PostgreSQL: with one
// hot account, and between users. Its SQL is not part of this project.
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { Money } from '../dist/common/money.js';
import { move, userAccount } from '../dist/modules/core/ledger/domain/chart-of-accounts.js';
import { depositCompleted } from '../dist/modules/core/ledger/domain/postings.js';
import { alternating, printProgress } from './frame.mjs';
import { poolOn, startDurable } from './support/durable.mjs';
import { atLeastRow, perSecond } from './support/load.mjs';
import { named, sendAlone, sendInTransaction, statementOf } from './support/posting-statement.mjs';

const CLIENTS = 16;
const USERS = Number(process.env.BENCH_USERS ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const OPENING_BALANCE = '1000000';
const AMOUNT = '1.25';
const ROUNDS = 7; // the ratio between users is close to 1
const BUILT_PER_SECOND = 10_000; // more than are sent in a second
const MIN_RATIO_HOT = 2.9;
const MIN_RATIO_BETWEEN_USERS = 1.05;
const { PGLEDGER_SQL } = process.env;

export const title = `Postings of this ledger and of pgledger with ${USERS} users, ${CLIENTS} connections, each posting committed to disk on its own (fsync and synchronous_commit on).`;

const users = Array.from({ length: USERS }, () => randomUUID());
const anyUser = () => Math.floor(Math.random() * USERS);

/** Two different users, as numbers. */
function anyPair() {
  const payer = anyUser();
  return [payer, (payer + 1 + Math.floor(Math.random() * (USERS - 1))) % USERS];
}

/** The SQL files of the path, in pgledger's order: its functions for ids first, pgledger.sql last, no examples. */
function sqlFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  const isMain = (file) => basename(file) === 'pgledger.sql';
  const files = readdirSync(path, { recursive: true })
    .filter((file) => file.endsWith('.sql') && !file.split(sep).includes('examples'))
    .sort();
  return [...files.filter((file) => !isMain(file)), ...files.filter(isMain)].map((file) => join(path, file));
}

/** A deposit, which posts from one account of the platform. */
const deposit = (user, amount = AMOUNT) =>
  depositCompleted({
    depositId: randomUUID(),
    userId: users[user],
    network: 'ERC20',
    asset: 'USDC',
    received: Money.of(amount),
    credited: Money.of(amount),
    at: new Date(),
  });

/** No operation of the service moves money from user to user; the posting has the form of the others. */
function betweenUsers(payer, payee) {
  const [debit, credit] = [payer, payee].map((user) => userAccount(users[user], 'user.available'));
  return {
    type: 'treasury-transfer',
    category: 'internal',
    reference: { type: 'treasury-transfer', id: randomUUID() },
    at: new Date(),
    description: 'Transfer between users',
    entries: move(Money.of(AMOUNT), debit, credit),
  };
}

/** Creates pgledger's tables and accounts, of which only the platform's may become negative; returns the accounts' ids. */
async function createPgledger(pool, sql) {
  for (const text of sql) await pool.query(text);
  const create = async (name, mayBeNegative) => {
    const text = 'select id from pgledger_create_account($1, $2, $3)';
    const { rows } = await pool.query(text, [name, 'USDC', mayBeNegative]);
    return rows[0].id;
  };
  const platform = await create('platform', true);
  const ids = [];
  for (const user of users) ids.push(await create(user, false));
  for (const id of ids) await pool.query(transfer(platform, id, OPENING_BALANCE));
  return { platform, ids };
}

const transfer = (payer, payee, amount = AMOUNT) => ({
  text: 'select id from pgledger_create_transfer($1, $2, $3, $4)',
  values: [payer, payee, amount, new Date()],
});

/** Postings per second. The statements are built before a round: building them is Node's work, which `postings` measures. */
const load = (send, pool, build) => async () => {
  const statements = [];
  while (statements.length < BUILT_PER_SECOND * SECONDS) statements.push(named(await build()));
  let sent = 0;
  return perSecond({ clients: CLIENTS, seconds: SECONDS }, async () =>
    send(pool, statements[sent++] ?? named(await build())),
  );
};

async function measure(sql) {
  const postgres = await startDurable();
  const ours = poolOn(await postgres.migrated('ours'), CLIENTS);
  const theirs = poolOn(await postgres.database('pgledger'), CLIENTS);
  try {
    const { platform, ids } = await createPgledger(theirs, sql);
    await ours.query(await statementOf(...users.map((_, user) => deposit(user, OPENING_BALANCE))));
    for (const pool of [ours, theirs]) await pool.query('vacuum analyze');
    const variants = (send, suffix = '') => ({
      [`oursHot${suffix}`]: load(send, ours, () => statementOf(deposit(anyUser()))),
      [`theirsHot${suffix}`]: load(send, theirs, () => transfer(platform, ids[anyUser()])),
      [`ours${suffix}`]: load(send, ours, () => statementOf(betweenUsers(...anyPair()))),
      [`theirs${suffix}`]: load(send, theirs, () => transfer(...anyPair().map((user) => ids[user]))),
    });
    const all = { ...variants(sendAlone), ...variants(sendInTransaction, 'InTransaction') };
    return await alternating(all, { rounds: ROUNDS });
  } finally {
    for (const pool of [ours, theirs]) await pool.end();
    await postgres.stop();
  }
}

export async function run() {
  if (!PGLEDGER_SQL) {
    printProgress(
      '  skipped: set PGLEDGER_SQL to a checkout of https://github.com/pgr0ss/pgledger, or to a file with all of its SQL',
    );
    return undefined;
  }
  const sql = sqlFiles(PGLEDGER_SQL).map((file) => readFileSync(file, 'utf8'));
  const figures = await measure(sql);
  const row = (what, { figure, baseline, least }) =>
    atLeastRow(`postings a second, ${what}`, { figure, baseline, baselineIs: 'pgledger', least });
  const ratio = (figure, baseline) => `${(figure / baseline).toFixed(2)} ×`;
  const hotInTransaction = ratio(figures.oursHotInTransaction, figures.theirsHotInTransaction);
  const inTransaction = ratio(figures.oursInTransaction, figures.theirsInTransaction);
  return {
    rows: [
      row('one hot account', {
        figure: figures.oursHot,
        baseline: figures.theirsHot,
        least: MIN_RATIO_HOT,
      }),
      row('between users', {
        figure: figures.ours,
        baseline: figures.theirs,
        least: MIN_RATIO_BETWEEN_USERS,
      }),
    ],
    details: [
      `- In a transaction of three round trips: ${hotInTransaction} on one hot account, ${inTransaction} between users.`,
      `- SHA-256 of pgledger's SQL: ${createHash('sha256').update(sql.join('')).digest('hex').slice(0, 12)}.`,
    ].join('\n'),
  };
}
