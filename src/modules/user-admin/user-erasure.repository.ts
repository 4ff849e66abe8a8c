import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

/** Rows of modules that export no deletion of a user's rows: mail, api-keys, addresses and live. */
const ROWS_OF_USER = {
  mail: 'mail where user_id = $1::uuid',
  api_key: 'api_key where user_id = $1::uuid',
  withdrawal_address: 'withdrawal_address where user_id = $1::uuid',
  live_event: `live_event where recipient_type = 'user' and recipient_id = $1::text`,
  live_ticket: `live_ticket where owner_type = 'user' and owner_id = $1::text`,
};

@Injectable()
export class UserErasureRepository {
  /** Reads `ledger_account` of the module ledger, which refers to users without a foreign key. */
  async hasLedgerAccount(tx: Tx, userId: string): Promise<boolean> {
    const accounts = await tx.query<unknown[]>('select 1 from ledger_account where owner_id = $1 limit 1', [
      userId,
    ]);
    return accounts.length > 0;
  }

  async deleteRowsOfUser(tx: Tx, table: keyof typeof ROWS_OF_USER, userId: string): Promise<void> {
    await tx.query(`delete from ${ROWS_OF_USER[table]}`, [userId]);
  }
}
