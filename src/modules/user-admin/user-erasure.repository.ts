import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

/** Tables of the modules notifications, webhooks, live, mail, screening, addresses and api-keys, and of the idempotency interceptor. */
const DELETE_PERSONAL_ROWS = [
  'delete from notification where user_id = $1::uuid',
  'delete from mail where user_id = $1::uuid',
  'delete from webhook_subscription where user_id = $1::uuid',
  'delete from api_key where user_id = $1::uuid',
  'delete from screening_question where user_id = $1::uuid',
  'delete from withdrawal_address where user_id = $1::uuid',
  `delete from live_event where recipient_type = 'user' and recipient_id = $1::text`,
  `delete from live_ticket where owner_type = 'user' and owner_id = $1::text`,
  `delete from idempotency_result where caller = 'user:' || $1::text`,
];

@Injectable()
export class UserErasureRepository {
  /** Accounts of the ledger refer to users without a foreign key. */
  async hasLedgerAccount(tx: Tx, userId: string): Promise<boolean> {
    const accounts = await tx.query<unknown[]>('select 1 from ledger_account where owner_id = $1 limit 1', [
      userId,
    ]);
    return accounts.length > 0;
  }

  async deletePersonalRows(tx: Tx, userId: string): Promise<void> {
    for (const statement of DELETE_PERSONAL_ROWS) await tx.query(statement, [userId]);
  }
}
