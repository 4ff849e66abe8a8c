import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';

/**
 * Rows that concern one user and contain no money, in tables of the modules notifications, webhooks, screening and auth and
 * of the idempotency interceptor. Wallets, figures and status changes are deleted with the user by foreign keys.
 */
const DELETE_PERSONAL_DATA = [
  'delete from notification where user_id = $1::uuid',
  'delete from webhook_subscription where user_id = $1::uuid',
  'delete from screening_question where user_id = $1::uuid',
  'delete from known_device where user_id = $1::uuid',
  `delete from refresh_token where subject_type = 'user' and subject_id = $1::text`,
  `delete from session where subject_type = 'user' and subject_id = $1::text`,
  `delete from idempotency_result where caller = 'user:' || $1::text`,
];

@Injectable()
export class UserErasureRepository {
  async hasLedgerAccount(tx: Tx, userId: string): Promise<boolean> {
    const accounts = await tx.query<unknown[]>('select 1 from ledger_account where owner_id = $1 limit 1', [
      userId,
    ]);
    return accounts.length > 0;
  }

  async deletePersonalData(tx: Tx, userId: string): Promise<void> {
    for (const statement of DELETE_PERSONAL_DATA) await tx.query(statement, [userId]);
  }

  async deleteAlerts(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `delete from alert
        where user_id = $1::uuid or (subject_type = 'user' and subject_id = $1::text)`,
      [userId],
    );
  }

  /** Fails on the foreign keys of records of money. */
  async deleteUser(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from platform_user where id = $1', [userId]);
  }

  async deleteWallets(tx: Tx, userId: string): Promise<void> {
    await tx.query('delete from wallet where user_id = $1', [userId]);
  }

  async anonymiseUser(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `update platform_user
          set email = 'erased-' || id || '@erased.invalid', email_verified = false, full_name = null,
              last_login_at = null
        where id = $1`,
      [userId],
    );
  }
}
