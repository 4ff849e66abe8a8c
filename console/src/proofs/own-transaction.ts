import type { TransactionDetailResponse } from 'stablecoin-platform-client/routes';
import { compareDecimals, subtract } from '../ui/decimal.ts';
import { TRANSACTION_TYPES } from '../ui/transaction-types.ts';
import { changeOf, type Leaf } from './leaf.ts';

type OwnTransaction = Pick<TransactionDetailResponse, 'type' | 'status' | 'amount' | 'currency' | 'metadata'>;

/** Ether has 18 decimals; the platform shows amounts rounded to six. */
const ROUNDING = { USDC: '0', USDT: '0', ETH: '0.0000005' };

/** Why the leaves do not prove the transaction of the user; undefined if they do. */
export function problemOf(
  { type, status, amount, currency, metadata }: OwnTransaction,
  leaves: readonly Leaf[],
  userId: string,
): string | undefined {
  const signs = TRANSACTION_TYPES[type].postings;
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
