import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { formsOf } from '../blockchain/chain-check.js';
import { lockTxHash } from '../blockchain/tx-hashes.js';
import type { Deposit } from './entities/deposit.entity.js';

/** Deposits that admins have booked by hand, because no provider had reported them. */
@Injectable()
export class HandBookings {
  /** Whether this transfer is its owner's already. Stays true or false until the transaction ends. */
  async cover(tx: Tx, { txHash, userId }: Deposit): Promise<boolean> {
    await lockTxHash(tx, txHash);
    const rows = await tx.query<unknown[]>(
      `select from admin_transaction where tx_hash = any($1) and user_id = $2 and type = 'deposit'`,
      [formsOf(txHash), userId],
    );
    return rows.length > 0;
  }
}
