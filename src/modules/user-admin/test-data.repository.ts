import { Injectable } from '@nestjs/common';
import { deleteBatch } from '../../database/delete-batch.js';
import type { Tx } from '../../database/unit-of-work.js';
import { TEST_USERS } from '../users/test-users.repository.js';

/** The table belongs to the idempotency interceptor in src/http, which is a lower layer and does not know users. */
@Injectable()
export class TestDataRepository {
  /** Deletes a batch of the results of test users and returns their number. */
  deleteIdempotencyResults(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    const condition = `created_at <= $2 and caller in (select 'user:' || id from ${TEST_USERS})`;
    return deleteBatch(tx, { table: 'idempotency_result', condition, parameters: [adminEmails, until] });
  }
}
