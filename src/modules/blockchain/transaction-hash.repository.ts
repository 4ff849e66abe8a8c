import { prepared } from '../../database/prepared.js';
import { readTogether, type TransactionRead } from '../../database/transaction-calls.js';
import type { Tx } from '../../database/unit-of-work.js';
import { hashForms } from './domain/transaction-hash.js';

/**
 * Blocks other database transactions that book the same hash until this one ends. Lock order: after the row of the record
 * that gets the hash, and before any account of the ledger.
 */
export async function lockTxHash(tx: Tx, txHash: string): Promise<void> {
  await tx.query(
    prepared(
      `select pg_advisory_xact_lock(hashtextextended('tx-hash:' || form, 0)) from unnest($1::text[]) as form`,
    ),
    [hashForms(txHash)],
  );
}

/** A record that has a given transaction hash; `transaction` means an admin transaction. */
export interface TxHashHolder {
  readonly type: 'withdrawal' | 'transaction' | 'deposit';
  readonly id: string;
}

/**
 * For `readTogether`: locks the hash as `lockTxHash` does and returns a record that has the hash, with or without 0x: the
 * first withdrawal that got the hash, an admin transaction, or a deposit that is confirming or completed.
 */
export function txHashHolderRead(txHash: string): TransactionRead<TxHashHolder | undefined> {
  return {
    name: 'transaction_hash_holder',
    parameters: [hashForms(txHash)],
    toResult: (holder: TxHashHolder | null) => holder ?? undefined,
  };
}

/** Executes `txHashHolderRead` alone. */
export async function findTxHashHolder(tx: Tx, txHash: string): Promise<TxHashHolder | undefined> {
  const [holder] = await readTogether(tx, txHashHolderRead(txHash));
  return holder;
}
