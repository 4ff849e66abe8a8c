import { all, read } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { hashForms } from './domain/transaction-hash.js';

/**
 * Blocks other database transactions that book the same hash until this one ends. Lock order: after the row of the record
 * that gets the hash, and before any account of the ledger.
 */
export async function lockTxHash(tx: Tx, txHash: string): Promise<void> {
  await read(
    tx,
    `select pg_advisory_xact_lock(hashtextextended('tx-hash:' || form, 0)) from unnest($1::text[]) as form`,
    [hashForms(txHash)],
  );
}

/** A record that has a given transaction hash; `transaction` means an admin transaction. */
export interface TxHashHolder {
  readonly type: 'withdrawal' | 'transaction' | 'deposit';
  readonly id: string;
}

/**
 * Locks the hash as `lockTxHash` does and returns a record that has the hash, with or without 0x: the first withdrawal that got
 * the hash, an admin transaction, or a deposit that is confirming or completed. Reads tables of the modules withdrawals, treasury
 * and deposits.
 */
export async function lockTxHashHolder(tx: Tx, txHash: string): Promise<TxHashHolder | undefined> {
  const [, [holder]] = await all(
    lockTxHash(tx, txHash),
    read<TxHashHolder>(
      tx,
      `(select 'withdrawal' as type, id from withdrawal where tx_hash = any($1) order by tx_hash_shared limit 1)
       union all select 'transaction', id from admin_transaction where tx_hash = any($1)
       union all select 'deposit', id from deposit
                  where network in ('ERC20', 'BEP20', 'TRC20') and tx_hash = any($1)
                    and failure is null and status in ('confirming', 'completed')
       limit 1`,
      [hashForms(txHash)],
    ),
  );
  return holder;
}
