import type { SealableTransaction } from '../proofs.types.js';
import { leafAccount, transactionLeafText } from './log-leaf.js';

/** The text of a transaction's leaf. The same rows and nonce always give the same text. */
export function leafTextOf(transaction: SealableTransaction, nonce: Buffer): string {
  const { id, type, referenceType, referenceId, effectiveAt, entries } = transaction;
  return transactionLeafText({
    ...{ id, type, effectiveAt, nonce: nonce.toString('base64') },
    reference: { type: referenceType, id: referenceId },
    entries: entries.map(({ kind, scope, owner, asset, amount }) => ({
      ...{ account: leafAccount(kind, scope, owner), asset },
      amount: withTwoDecimals(amount),
    })),
  });
}

/** `amount` has no zeros at the end. */
function withTwoDecimals(amount: string): string {
  const [whole, fraction = ''] = amount.split('.') as [string, string?];
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
