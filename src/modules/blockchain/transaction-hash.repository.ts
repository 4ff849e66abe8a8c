import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { hashForms } from './domain/transaction-hash.js';

/**
 * Blocks other transactions that book the same hash until this one ends. Lock order: after the row that is booked and
 * before any account.
 */
export async function lockTxHash(tx: Tx, txHash: string): Promise<void> {
  await tx.query(
    prepared(
      `select pg_advisory_xact_lock(hashtextextended('tx-hash:' || form, 0)) from unnest($1::text[]) as form`,
    ),
    [hashForms(txHash)],
  );
}

/** The record that a hash is booked as. */
export interface TxHashHolder {
  readonly type: 'withdrawal' | 'transaction' | 'deposit';
  readonly id: string;
}

/**
 * Locks the hash and returns the record that has it in any form: the withdrawal that had it first, an admin
 * transaction, or a deposit that is more than a user's claim.
 */
export async function findTxHashHolder(tx: Tx, txHash: string): Promise<TxHashHolder | undefined> {
  await lockTxHash(tx, txHash);
  // One statement over the tables of withdrawals, treasury and deposits: the hash is unique across the three.
  const [holder] = await tx.query<TxHashHolder[]>(
    prepared(
      `(select 'withdrawal' as type, id from withdrawal where tx_hash = any($1) order by tx_hash_shared limit 1)
       union all select 'transaction', id from admin_transaction where tx_hash = any($1)
       union all select 'deposit', id from deposit
                  where network in ('ERC20', 'BEP20', 'TRC20') and tx_hash = any($1)
                    and failure is null and status in ('confirming', 'completed')
       limit 1`,
    ),
    [hashForms(txHash)],
  );
  return holder;
}
