import { Injectable } from '@nestjs/common';
import { sqlState } from '../../common/errors/sql-state.js';
import { savepoint, type Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import type { User } from '../users/entities/user.entity.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** What is about a user and nobody else, and says nothing of money. Wallets, figures and status go with the user. */
const OWN = [
  'delete from notification where user_id = $1::uuid',
  'delete from webhook_subscription where user_id = $1::uuid',
  'delete from screening_question where user_id = $1::uuid',
  'delete from known_device where user_id = $1::uuid',
  `delete from refresh_token where subject_type = 'user' and subject_id = $1::text`,
  `delete from session where subject_type = 'user' and subject_id = $1::text`,
  `delete from idempotency_result where caller = 'user:' || $1::text`,
];

/** Alerts stay while records of money do: an anonymised user keeps them. */
const ALERTS_OF = `delete from alert
  where user_id = $1::uuid or (subject_type = 'user' and subject_id = $1::text)`;

/** Erasing people. What the ledger holds stays for good, and so does the account that it belongs to. */
@Injectable()
export class UserErasureService {
  /**
   * Removes a user who is locked, every trace included. Throws INVALID_STATE, and has done nothing, when anything of
   * money refers to the user: an account of the ledger, or a deposit address, to which money may still come.
   */
  async erase(tx: Tx, { id, status }: User): Promise<void> {
    await savepoint(tx, async (part) => {
      const accounts = await part.query<unknown[]>(
        'select 1 from ledger_account where owner_id = $1 limit 1',
        [id],
      );
      if (accounts.length > 0) historyIsKept(status);
      await this.forgetOwn(part, id);
      await part.query(ALERTS_OF, [id]);
      await part.query('delete from platform_user where id = $1', [id]).catch((error: unknown) => {
        if (sqlState(error) === FOREIGN_KEY_VIOLATION) historyIsKept(status);
        throw error;
      });
    });
  }

  /** Takes away who it was, and keeps what happened. The caller has deactivated the user. */
  async anonymise(tx: Tx, { id }: User): Promise<void> {
    await this.forgetOwn(tx, id);
    await tx.query('delete from wallet where user_id = $1', [id]);
    await tx.query(
      `update platform_user
          set email = 'erased-' || id || '@erased.invalid', email_verified = false, full_name = null,
              last_login_at = null
        where id = $1`,
      [id],
    );
  }

  private async forgetOwn(tx: Tx, id: string): Promise<void> {
    for (const statement of OWN) await tx.query(statement, [id]);
  }
}

function historyIsKept(status: string): never {
  fail(
    'INVALID_STATE',
    { status, action: 'erase' },
    {
      message:
        'Records of money refer to this user and are kept. Without permanent the account is deactivated.',
    },
  );
}
