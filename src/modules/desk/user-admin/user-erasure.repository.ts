import { Injectable } from '@nestjs/common';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { TEST_USERS } from '../../identity/users/users.repository.js';

@Injectable()
export class UserErasureRepository {
  /** Reads `ledger_account` of the module ledger, which refers to users without a foreign key. */
  async hasLedgerAccount(tx: Tx, userId: string): Promise<boolean> {
    const accounts = await tx.query<unknown[]>('select 1 from ledger_account where owner_id = $1 limit 1', [
      userId,
    ]);
    return accounts.length > 0;
  }

  /**
   * Deletes a batch of the idempotency results of test users that were stored at `until` or earlier, and returns their number.
   * The table belongs to the idempotency interceptor in src/http, which is a lower layer and does not know users.
   */
  deleteIdempotencyResultsOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    const condition = `created_at <= $2 and caller in (select 'user:' || id from ${TEST_USERS})`;
    return deleteBatch(tx, { table: 'idempotency_result', condition, parameters: [adminEmails, until] });
  }
}
