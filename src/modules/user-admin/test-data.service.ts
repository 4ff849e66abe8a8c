import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock, realNow } from '../../common/clock.js';
import { DomainError } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService } from '../audit/audit.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UserErasureService } from './user-erasure.service.js';

export interface DeletedTestData {
  readonly erased: number;
  readonly anonymised: number;
  /** Test users who are still there: ask again. */
  readonly remaining: number;
}

export interface CleanedTestData {
  readonly sessions: number;
  readonly refreshTokens: number;
  readonly idempotencyResults: number;
  readonly walletNonces: number;
}

/** Of one call: each user costs a dozen statements. */
const USERS_AT_ONCE = 200;
const ROWS_AT_ONCE = 10_000;
const IDEMPOTENCY_HOURS = 24;
const SUBJECT = { type: 'test-data', id: 'users' };

/** E-mail addresses of reserved domains, except those of admins. Parameter 1: the admins' addresses. */
const TEST_USERS = String.raw`platform_user where email ~ '@(example\.(com|org)|([^@.]+\.)+test)$' and email <> all($1)`;

/** What users of tests leave behind. Outside production only. */
@Injectable()
export class TestDataService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly erasure: UserErasureService,
    private readonly admins: AdminDirectoryService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Erases test users. Those to whom records of money belong are deactivated and lose their names and addresses
   * instead: nothing that the ledger holds is ever deleted.
   */
  async deleteUsers(admin: AdminPrincipal): Promise<DeletedTestData> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const rows = await tx.query<{ id: string }[]>(
        `select id from ${TEST_USERS} order by id limit ${USERS_AT_ONCE} for update skip locked`,
        [this.admins.emails()],
      );
      let erased = 0;
      for (const { id } of rows) if (await this.eraseOrAnonymise(tx, id, admin)) erased++;
      const [left] = await tx.query<{ count: number }[]>(`select count(*)::int as count from ${TEST_USERS}`, [
        this.admins.emails(),
      ]);
      const counts = { erased, anonymised: rows.length - erased, remaining: left?.count ?? 0 };
      await this.audit.record(tx, admin, {
        action: 'test-data.delete',
        subject: SUBJECT,
        after: { ...counts, ids: rows.map(({ id }) => id) },
      });
      return counts;
    });
  }

  /** Deletes what has expired of test users' sessions, refresh tokens, idempotency keys and wallet challenges. */
  async cleanUp(admin: AdminPrincipal): Promise<CleanedTestData> {
    const now = realNow();
    const keysUntil = new Date(this.clock.now().getTime() - IDEMPOTENCY_HOURS * 3_600_000);
    const ofTestUsers = `subject_type = 'user' and expires_at <= $2 and subject_id in (select id::text from ${TEST_USERS})`;
    return this.unitOfWork.runInTransaction(async (tx) => {
      const counts = {
        sessions: await this.deleteSome(tx, 'session', ofTestUsers, now),
        refreshTokens: await this.deleteSome(tx, 'refresh_token', ofTestUsers, now),
        idempotencyResults: await this.deleteSome(
          tx,
          'idempotency_result',
          `created_at <= $2 and caller in (select 'user:' || id from ${TEST_USERS})`,
          keysUntil,
        ),
        walletNonces: await this.deleteSome(
          tx,
          'wallet_nonce',
          `expires_at <= $2 and address in (
             select address from wallet where user_id in (select id from ${TEST_USERS}))`,
          now,
        ),
      };
      await this.audit.record(tx, admin, { action: 'test-data.cleanup', subject: SUBJECT, after: counts });
      return counts;
    });
  }

  /** True when nothing is left of the user. */
  private async eraseOrAnonymise(tx: Tx, id: string, admin: AdminPrincipal): Promise<boolean> {
    const user = await this.accounts.lockAlone(tx, id);
    try {
      await this.erasure.erase(tx, user);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
    }
    const change = { status: 'inactive', reason: 'Test data deleted', by: admin.email } as const;
    if (user.status !== 'inactive') await this.accounts.changeStatus(tx, id, change);
    await this.erasure.anonymise(tx, user);
    return false;
  }

  private async deleteSome(tx: Tx, table: string, condition: string, until: Date): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `with gone as (
         delete from ${table} where ctid in (
           select ctid from ${table} where ${condition} limit ${ROWS_AT_ONCE} for update skip locked)
         returning 1)
       select count(*)::int as count from gone`,
      [this.admins.emails(), until],
    );
    return row?.count ?? 0;
  }
}
