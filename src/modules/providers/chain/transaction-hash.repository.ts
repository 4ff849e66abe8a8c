import { read } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { hashForms } from './domain/transaction-hash.js';

/**
 * Until this database transaction ends, other database transactions that book the same hash wait. Lock order: after the row of the
 * record that gets the hash, and before any account of the ledger.
 */
export async function lockTxHash(tx: Tx, txHash: string): Promise<void> {
  await read(
    tx,
    `select pg_advisory_xact_lock(hashtextextended('tx-hash:' || form, 0)) from unnest($1::text[]) as form`,
    [hashForms(txHash)],
  );
}
