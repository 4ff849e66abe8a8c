import { ProofError, verifyLiability, verifyPublishedLiabilities } from 'stablecoin-platform-client/verify';
import type {
  LiabilitiesResponse,
  ProofOfLiabilitiesResponse,
  TransactionDetailResponse,
} from 'stablecoin-platform-client/routes';
import { api, hasCode } from '../api/client.ts';
import { keep, keptDay } from '../proofs/kept-proofs.ts';
import {
  changeOf,
  readLog,
  readTile,
  verifyLeaves,
  verifySameLog,
  type Leaf,
  type Log,
} from '../proofs/verify-log.ts';
import { compareDecimals } from '../ui/decimal.ts';

const DAY_MS = 86_400_000;

export interface ProvenMoney {
  mine: ProofOfLiabilitiesResponse;
  total: LiabilitiesResponse;
}

/**
 * Verifies that the user's money is counted in what the platform owed at the end of the last closed day. Undefined if no day has been
 * closed since the user registered. `today` is a UTC day.
 */
export async function verifyMoney(
  log: Log,
  user: { id: string },
  asset: ProofOfLiabilitiesResponse['asset'],
  today: string,
): Promise<ProvenMoney | undefined> {
  const kept = keptDay(user.id, asset);
  const mine = await api.call('GET /api/user/proof-of-liabilities', { query: { asset } }).then(
    ({ data }) => data,
    (error: unknown) => {
      if (hasCode(error, 'PROOF_NOT_FOUND')) return undefined;
      throw error;
    },
  );
  if (!mine) {
    if (kept)
      throw new ProofError(`The day ${kept.day} was proven before, and now there is no proof of your money.`);
    return undefined;
  }
  requireRecent(mine.day, today, kept?.day);
  const { data: trees } = await api.call('GET /api/proofs/liabilities/{day}', { path: { day: mine.day } });
  const total = trees.find((tree) => tree.asset === mine.asset);
  if (!total) throw new ProofError(`The total of ${mine.day} in ${mine.asset} is not published.`);
  await verifyPublishedLiabilities(total, log.keys, readTile);
  await verifySameLog(total.checkpoint, log);
  await verifyLiability(mine, total, user.id);
  const { day, leafIndex, root } = total;
  const line = { day, leafIndex, root, total: total.total };
  if (kept?.day === day && JSON.stringify(kept) !== JSON.stringify(line))
    throw new ProofError(`The log has two totals of ${day}: this one is not the one that was proven before.`);
  keep({ day: { userId: user.id, asset, line } });
  return { mine, total };
}

/** A platform that leaves a user out of its newer totals could answer an old day for ever. */
function requireRecent(day: string, today: string, lastDay: string | undefined): void {
  const dayBeforeYesterday = new Date(Date.parse(today) - 2 * DAY_MS).toISOString().slice(0, 10);
  const oldest = lastDay && lastDay > dayBeforeYesterday ? lastDay : dayBeforeYesterday;
  if (day < oldest)
    throw new ProofError(`The newest proof of your money is of ${day}; it must be of ${oldest} or later.`);
  if (day > today) throw new ProofError(`The proof of your money is of ${day}, which has not begun.`);
}

/** Verifies that the postings of a history entry are in the log, with its amount. Returns the indexes of their leaves. */
export async function verifyTransaction(entry: TransactionDetailResponse, userId: string): Promise<number[]> {
  const log = await readLog();
  const { data } = await api.call('GET /api/user/transactions/{id}/proof', { path: { id: entry.id } });
  const leaves = await verifyLeaves(data.proofs, log);
  requireSameEntry(entry, leaves, userId);
  return leaves.map(({ index }) => index);
}

function requireSameEntry(entry: TransactionDetailResponse, leaves: Leaf[], userId: string): void {
  const { metadata, amount, currency, status } = entry;
  const isOther = ({ reference: { type, id } }: Leaf) =>
    type !== metadata.referenceType || id !== metadata.referenceId;
  if (leaves.some(isOther)) throw new ProofError('The proof is of another entry.');
  const account = `user.available/${userId}`;
  const changes = leaves.map((leaf) => changeOf(leaf, account, currency));
  const isPending = status !== 'completed' && changes.every((change) => compareDecimals(change, '0') === 0);
  const isAmount = (change: string) =>
    compareDecimals(change.replace('-', ''), amount.replace('-', '')) === 0;
  if (!isPending && !changes.some(isAmount))
    throw new ProofError(`No posting in the log moves ${amount} ${currency} of yours.`);
}
