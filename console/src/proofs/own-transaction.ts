import type { TransactionDetailResponse } from 'stablecoin-platform-client/routes';
import { compareDecimals, subtract } from '../ui/decimal.ts';
import { changeOf, type Leaf } from './leaf.ts';

type OwnTransaction = Pick<TransactionDetailResponse, 'type' | 'status' | 'amount' | 'currency' | 'metadata'>;

/**
 * The types of postings that belong to a transaction of each type. A posting proves the amount if it adds the amount to the
 * available balance (1) or takes it from there (-1); others (0) only belong to it.
 */
export const POSTINGS: Readonly<Record<OwnTransaction['type'], Readonly<Record<string, 1 | -1 | 0>>>> = {
  deposit: { 'deposit-held': 0, 'deposit-reversed': 0, deposit: 1 },
  // The money is reserved by the request, and leaves the available balance on completion only if it was booked by hand.
  withdrawal: { 'withdrawal-requested': -1, 'withdrawal-released': 0, 'withdrawal-completed': -1 },
  investment: { investment: -1, 'units-issued': 0 },
  divestment: { divestment: 1, forfeit: 0 },
  earning: { earning: 1 }, // a loss has an amount below zero
  fee: { fee: -1 },
  reversal: { 'withdrawal-released': 1, deposit: -1 }, // of a withdrawal; of a deposit that is taken back
};

/** Ether has 18 decimals; the platform shows amounts rounded to six. */
const ROUNDING = { USDC: '0', USDT: '0', ETH: '0.0000005' };

/** Why the leaves do not prove the transaction of the user; undefined if they do. */
export function problemOf(
  { type, status, amount, currency, metadata }: OwnTransaction,
  leaves: readonly Leaf[],
  userId: string,
): string | undefined {
  const signs = POSTINGS[type];
  const belongs = (leaf: Leaf) =>
    Object.hasOwn(signs, leaf.type) &&
    leaf.reference.type === metadata.referenceType &&
    leaf.reference.id === metadata.referenceId;
  if (!leaves.every(belongs)) return 'The proof is of another transaction.';
  const changes = leaves.map((leaf) => ({
    sign: signs[leaf.type],
    change: changeOf(leaf, `user.available/${userId}`, currency),
  }));
  if (status !== 'completed' && changes.every(({ change }) => compareDecimals(change, '0') === 0))
    return undefined; // for example a deposit that is held
  const isProven = changes.some(({ sign, change }) => {
    if (sign === 0) return false;
    const difference = subtract(sign === 1 ? change : subtract('0', change), amount);
    return compareDecimals(difference.replace('-', ''), ROUNDING[currency]) <= 0;
  });
  if (isProven) return undefined;
  return `No posting in the log moves ${amount} ${currency} of yours as this transaction says.`;
}
