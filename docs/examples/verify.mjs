// Verifies a user's money with the verifier of the client: TOKEN=<access token> node docs/examples/verify.mjs [folder]
// The folder (my-proofs unless given) keeps the user's id, the keys of the log, the newest checkpoint that was verified, and the
// total of each verified day. TODAY=<day> replaces the date of this computer, for a sandbox whose clock was moved.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, Client } from '../../dist/client/client.js';
import * as verifier from '../../dist/client/verify.js';

const baseUrl = process.env.API ?? 'http://localhost:3000';
const folder = process.argv[2] ?? 'my-proofs';
const api = new Client({ baseUrl, token: process.env.TOKEN });

/** The data of the answer, or undefined if the API refuses with this code. */
async function callUnless(code, route, request) {
  try {
    return (await api.call(route, request)).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined;
    throw error;
  }
}

const published = (path) => fetch(`${baseUrl}/api/proofs/${path}`);
const readText = async (path) => {
  const response = await published(path);
  if (!response.ok) throw new Error(`GET /api/proofs/${path} answers ${response.status}.`);
  return response.text();
};
const readTile = async (path) => {
  const response = await published(`tile/${path}`);
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
};

mkdirSync(folder, { recursive: true });
const readKept = (name) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
/** Stores a file of the folder. A crash leaves the old file or the new one. */
function keep(name, text) {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

const keptCheckpoint = readKept('checkpoint.txt');
const keptDays = readKept('days.jsonl') ?? '';
const lastKeptDay = keptDays.trimEnd().split('\n').at(-1);
// The clock of this computer, because the platform cannot change it. A day is closed a minute after its end, so that the last closed
// day is no older than the day before yesterday.
const today = process.env.TODAY ?? new Date().toISOString().slice(0, 10);
const dayBeforeYesterday = new Date(Date.parse(today) - 2 * 86_400_000).toISOString().slice(0, 10);
const listedKeys = await readText('key');
const keys = readKept('keys.txt') ?? listedKeys;
const userId = readKept('user.txt') ?? (await api.call('GET /api/auth/user/profile')).data.id;
const newest = await readText('checkpoint');
const { size } = await verifier.verifyCheckpoint(newest, keys);

/** Throws unless the checkpoint and the newest one belong to one history. Returns the size of the checkpoint. */
async function verifySameLog(checkpoint) {
  const { size: otherSize } = await verifier.verifyCheckpoint(checkpoint, keys);
  const query = { from: Math.min(otherSize, size), to: Math.max(otherSize, size) };
  const { data } = await api.call('GET /api/proofs/consistency', { query });
  if (otherSize <= size) await verifier.verifyConsistency(checkpoint, newest, data.path, keys);
  else await verifier.verifyConsistency(newest, checkpoint, data.path, keys); // signed since the program read the newest one
  return otherSize;
}

/** An amount in parts of 10^-24: amounts have up to 24 decimals. */
function partsOf(amount) {
  const [whole, fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(24, '0'));
}

/** Postings that add the amount of their record to the available balance (1n) or take it from there (-1n), by the type of the record. */
const SIGNS = {
  deposit: { deposit: 1n },
  withdrawal: { 'withdrawal-requested': -1n, 'withdrawal-completed': -1n }, // the latter if it was booked by hand
  investment: { investment: -1n },
  divestment: { divestment: 1n },
  earning: { earning: 1n },
  fee: { fee: -1n },
  reversal: { 'withdrawal-released': 1n, deposit: -1n },
};
/** Records show ether rounded to six decimals. */
const ROUNDING = { ETH: partsOf('0.0000005') };

/** Throws unless the leaves are those of the record: its reference, and its amount, with the sign, on the account of the user. */
function requireSameRecord({ id, type, status, amount, currency, metadata }, leaves) {
  for (const { reference } of leaves)
    if (reference.type !== metadata.referenceType || reference.id !== metadata.referenceId)
      throw new Error(`The proof of transaction ${id} is of ${reference.type} ${reference.id}.`);
  const changes = leaves.map(({ type: posting, entries }) => ({
    sign: SIGNS[type]?.[posting],
    change: entries
      .filter(({ account, asset }) => account === `user.available/${userId}` && asset === currency)
      .reduce((sum, entry) => sum + partsOf(entry.amount), 0n),
  }));
  const isPending = status !== 'completed' && changes.every(({ change }) => change === 0n); // for example a held deposit
  const rounding = ROUNDING[currency] ?? 0n;
  const isProven = ({ sign, change }) => {
    if (sign === undefined) return false;
    const difference = sign * change - partsOf(amount);
    return difference <= rounding && -difference <= rounding;
  };
  if (!isPending && !changes.some(isProven))
    throw new Error(`No leaf of transaction ${id} moves ${amount} ${currency} of the user.`);
}

/** Verifies the transactions of a record and returns their leaves; none while one of them is not in the log yet. */
async function verifyRecord(record) {
  const path = { id: record.id };
  const data = await callUnless('PROOF_PENDING', 'GET /api/user/transactions/{id}/proof', { path });
  if (data === undefined) {
    console.log(`${record.type} of ${record.createdAt} (${record.status}): the proof is pending, ask again later`);
    return [];
  }
  const leaves = [];
  for (const proof of data.proofs) {
    leaves.push(await verifier.verifyInclusion(proof, keys));
    await verifySameLog(proof.checkpoint);
    const { effectiveAt, entries } = leaves.at(-1);
    const amounts = entries.map(({ account, amount, asset }) => `${account} ${amount} ${asset}`);
    console.log(`${record.type} at ${effectiveAt}, leaf ${proof.leafIndex}: ${amounts.join(', ')}`);
  }
  requireSameRecord(record, leaves);
  if (leaves.length === 0) console.log(`${record.type} of ${record.createdAt} (${record.status}): no posting`);
  return leaves;
}

/** `ownDay`: a day on which the user had a posting. Every user of a closed day has a leaf in its tree. */
async function verifyLastClosedDay(ownDay) {
  const listLiabilities = (day) =>
    callUnless('PROOF_NOT_FOUND', 'GET /api/proofs/liabilities/{day}', { path: { day } });
  const isOwnDayClosed = ownDay !== undefined && (await listLiabilities(ownDay)) !== undefined;
  const keptDay = lastKeptDay ? JSON.parse(lastKeptDay).day : '';
  const closedDay = isOwnDayClosed && ownDay > keptDay ? ownDay : keptDay;
  const mine = await callUnless('PROOF_NOT_FOUND', 'GET /api/user/proof-of-liabilities');
  if (mine === undefined) {
    if (closedDay !== '')
      throw new Error(`The day ${closedDay} is closed, and the last closed day has no proof of your money.`);
    if (ownDay < dayBeforeYesterday)
      throw new Error(
        `No day is closed, although you had a posting on ${ownDay}. This is right only within two days after the log was opened.`,
      );
    console.log('There is no closed day with this user yet: run the program again after the next midnight UTC.');
    return;
  }
  const oldest = closedDay > dayBeforeYesterday ? closedDay : dayBeforeYesterday;
  if (mine.day < oldest)
    throw new Error(`The newest proof of your money is of ${mine.day}; the last closed day must be ${oldest} or later.`);
  // One day of tolerance for a slow clock. A later day could be answered for ever.
  if (mine.day > today)
    throw new Error(`The proof of your money is of ${mine.day}, which has not begun: set the clock, or TODAY for the sandbox.`);
  const trees = await listLiabilities(mine.day);
  const total = trees?.find(({ asset }) => asset === mine.asset);
  if (total === undefined) throw new Error(`The total of ${mine.day} in ${mine.asset} is not published.`);
  await verifier.verifyPublishedLiabilities(total, keys, readTile);
  await verifySameLog(total.checkpoint);
  await verifier.verifyLiability(mine, total, userId);
  console.log(`${mine.amount} of ${mine.total} ${mine.asset} owed at the end of ${mine.day} are yours.`);
  keepTotal(total);
}

/** Keeps the total, and prints it. A log can have two totals of a day, each with a part of the users. */
function keepTotal({ day, asset, leafIndex, root, total }) {
  const line = JSON.stringify({ day, asset, leafIndex, root, total });
  console.log(`Other users must have the same total: ${line}`);
  if (lastKeptDay === line) return;
  if (lastKeptDay?.includes(`"day":"${day}"`)) throw new Error(`The kept total is another one: ${lastKeptDay}`);
  keep('days.jsonl', `${keptDays}${line}\n`);
}

/**
 * The keys to keep: those that were trusted, and listed ones that have signed the newest checkpoint. While a key is replaced, each
 * checkpoint has the signatures of both, so that the old key confirms the new one.
 */
async function trustedKeys() {
  const trusted = keys.trim().split('\n');
  for (const line of listedKeys.trim().split('\n')) {
    if (trusted.includes(line)) continue;
    const hasSigned = await verifier.verifyCheckpoint(newest, line).then(
      () => true,
      () => false,
    );
    if (hasSigned) trusted.push(line);
    else console.log(`Not kept, since it has not signed the newest checkpoint: ${line}`);
  }
  return `${trusted.join('\n')}\n`;
}

if (keptCheckpoint !== undefined) {
  const from = await verifySameLog(keptCheckpoint);
  console.log(`The log of ${size} leaves continues the kept one of ${from} leaves.`);
}
// Kept before the rest is verified: the next run needs them all the more if a record or a day is wrong.
keep('keys.txt', await trustedKeys());
keep('checkpoint.txt', newest);

const { data: records } = await api.call('GET /api/user/transactions', { query: { limit: 10 } });
const days = [];
for (const record of records)
  for (const { effectiveAt } of await verifyRecord(record)) days.push(effectiveAt.slice(0, 10));
await verifyLastClosedDay(days.sort()[0]);
keep('user.txt', userId);
