import type { SealableTransaction } from '../proofs.types.js';
import { canonicalJson } from '../../../../common/canonical-json.js';

// The texts of the leaves of the log. Their members and formats never change within a version.

const LEAF_VERSION = 1;

export interface LeafEntry {
  /** See `leafAccount`. */
  readonly account: string;
  readonly asset: string;
  /** Positive for a credit, with at least two decimals. */
  readonly amount: string;
}

export interface TransactionLeaf {
  readonly id: string;
  /** Random, base64: without it the contents of a leaf could be guessed from its hash. */
  readonly nonce: string;
  readonly type: string;
  readonly reference: { readonly type: string; readonly id: string };
  readonly effectiveAt: Date;
  /** In the order of their ids. */
  readonly entries: readonly LeafEntry[];
}

/** The liabilities to all users in one asset at the end of a day. */
export interface LiabilitiesLeaf {
  readonly day: string;
  readonly asset: string;
  /** Root of the sum tree, base64. */
  readonly root: string;
  /** With at least two decimals. */
  readonly total: string;
  /** The number of users in the tree, without its padding. */
  readonly leaves: number;
}

/** Writes the members in the order of canonical JSON, which is much faster than sorting them for every leaf. */
export function transactionLeafText(leaf: TransactionLeaf): string {
  return JSON.stringify({
    effectiveAt: leaf.effectiveAt.toISOString(),
    entries: leaf.entries.map(({ account, amount, asset }) => ({ account, amount, asset })),
    id: leaf.id,
    kind: 'transaction',
    nonce: leaf.nonce,
    reference: { id: leaf.reference.id, type: leaf.reference.type },
    type: leaf.type,
    v: LEAF_VERSION,
  });
}

export function liabilitiesLeafText({ day, asset, root, total, leaves }: LiabilitiesLeaf): string {
  return canonicalJson({ v: LEAF_VERSION, kind: 'liabilities', day, asset, root, total, leaves });
}

/** The text of a transaction's leaf from the rows of the ledger. The same rows and nonce always give the same text. */
export function leafTextOfRows(transaction: SealableTransaction, nonce: Buffer): string {
  const { id, type, referenceType, referenceId, effectiveAt, entries } = transaction;
  return transactionLeafText({
    id,
    type,
    effectiveAt,
    nonce: nonce.toString('base64'),
    reference: { type: referenceType, id: referenceId },
    entries: entries.map(({ kind, scope, owner, asset, amount }) => ({
      account: leafAccount(kind, scope, owner),
      asset,
      amount: leafAmount(amount),
    })),
  });
}

/** The name of an account in leaves. `owner` is null for accounts of the platform. */
export function leafAccount(kind: string, scope: string, owner: string | null): string {
  return [kind, scope, owner ?? ''].filter((part) => part !== '').join('/');
}

/** The text of an amount in leaves: at least two decimals. `amount` has no zeros at the end of its decimals. */
export function leafAmount(amount: string): string {
  const [whole, fraction = ''] = amount.split('.') as [string, string?];
  return `${whole}.${fraction.padEnd(2, '0')}`;
}
