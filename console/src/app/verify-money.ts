import { ProofError, verifyLiability, verifyPublishedLiabilities } from 'stablecoin-platform-client/verify';
import type {
  LiabilitiesResponse,
  ProofOfLiabilitiesResponse,
  TransactionDetailResponse,
} from 'stablecoin-platform-client/routes';
import { api, hasCode } from '../api/client.ts';
import { keep, keptDay } from '../proofs/kept-proofs.ts';
import { problemOf } from '../proofs/own-transaction.ts';
import { readLog, readTile, verifyLeaves, verifySameLog, type Log } from '../proofs/verify-log.ts';
import { daysBefore } from '../ui/format.ts';

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
  if (mine.asset !== asset) throw new ProofError(`The proof is of ${mine.asset}, not of ${asset}.`);
  requireRecent(mine.day, today, kept?.day);
  const { data: trees } = await api.call('GET /api/proofs/liabilities/{day}', { path: { day: mine.day } });
  const total = trees.find((tree) => tree.asset === mine.asset);
  if (!total) throw new ProofError(`The total of ${mine.day} in ${mine.asset} is not published.`);
  await verifyPublishedLiabilities(total, log.keys, readTile);
  await verifySameLog(total.checkpoint, log);
  await verifyLiability(mine, total, user.id);
  const { day, leafIndex, root } = total;
  const keptTotal = { day, leafIndex, root, total: total.total };
  if (kept?.day === day && JSON.stringify(kept) !== JSON.stringify(keptTotal))
    throw new ProofError(`The log has two totals of ${day}: this one is not the one that was proven before.`);
  keep({ day: { userId: user.id, asset, line: keptTotal } });
  return { mine, total };
}

/** Otherwise a platform that leaves a user out of its newer totals could answer the proof of an old day for ever. */
function requireRecent(day: string, today: string, lastDay: string | undefined): void {
  const dayBeforeYesterday = daysBefore(today, 2);
  const oldest = lastDay && lastDay > dayBeforeYesterday ? lastDay : dayBeforeYesterday;
  if (day < oldest)
    throw new ProofError(`The newest proof of your money is of ${day}; it must be of ${oldest} or later.`);
  if (day > today) throw new ProofError(`The proof of your money is of ${day}, which has not begun.`);
}

/** Verifies that the postings of the transaction are in the log, with its amount. Returns the indexes of their leaves. */
export async function verifyTransaction(
  transaction: TransactionDetailResponse,
  userId: string,
): Promise<number[]> {
  const log = await readLog();
  const path = { id: transaction.id };
  const { data } = await api.call('GET /api/user/transactions/{id}/proof', { path });
  const leaves = await verifyLeaves(data.proofs, log);
  const problem = problemOf(transaction, leaves, userId);
  if (problem !== undefined) throw new ProofError(problem);
  return leaves.map(({ index }) => index);
}
