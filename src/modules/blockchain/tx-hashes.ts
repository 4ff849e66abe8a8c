import { prepared } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';

/**
 * Makes others wait that are about to book the same hash, whatever they book it as, until the transaction ends. What is
 * asked of it afterwards is stable. Taken after the row that is booked, before any account.
 */
export async function lockTxHash(tx: Tx, txHash: string): Promise<void> {
  await tx.query(prepared(`select pg_advisory_xact_lock(hashtextextended('tx-hash:' || $1::text, 0))`), [
    txHash,
  ]);
}
