import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { realNow } from '../../../common/clock.js';
import { HOUR_MS } from '../../../common/durations.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';
import type { CleanedTestData, DeletedTestData } from './user-admin.types.js';
import { UserAdminRepository } from './user-admin.repository.js';
import { UserErasureService } from './user-erasure.service.js';

/** Bounds the work of one request: each user costs more than a dozen statements. */
const MAX_USERS = 200;
/** How long `IdempotencyRepository` keeps results. */
const IDEMPOTENCY_HOURS = 24;
const AUDIT_SUBJECT = { type: 'test-data', id: 'users' };

/** Deletes data of test users, whom their e-mail addresses identify (`TEST_USERS`). Not available in production. */
@Injectable()
export class TestDataService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: UserAdminRepository,
    private readonly sessions: SessionsService,
    private readonly wallets: WalletLinksService,
    private readonly accounts: UserAccountsService,
    private readonly erasure: UserErasureService,
    private readonly admins: AdminDirectoryService,
    private readonly audit: AuditService,
  ) {}

  /** Erases test users; deactivates and anonymises test users with records of money instead. */
  async deleteUsers(admin: AdminPrincipal): Promise<DeletedTestData> {
    const adminEmails = this.admins.listEmails();
    return this.unitOfWork.runInTransaction(async (tx) => {
      const ids = await this.accounts.lockTestUsers(tx, adminEmails, MAX_USERS);
      let erased = 0;
      for (const id of ids) {
        if (await this.eraseOrAnonymise(tx, id, admin)) erased++;
      }
      const remaining = await this.accounts.countTestUsers(tx, adminEmails);
      const counts = { erased, anonymised: ids.length - erased, remaining };
      await this.audit.record(tx, admin, {
        action: 'test-data.delete',
        subject: AUDIT_SUBJECT,
        after: { ...counts, ids },
      });
      return counts;
    });
  }

  /** Deletes expired sessions, refresh tokens, idempotency keys and wallet challenges of test users. */
  async deleteExpiredData(admin: AdminPrincipal): Promise<CleanedTestData> {
    const adminEmails = this.admins.listEmails();
    const now = realNow(); // sessions, tokens, idempotency results and challenges expire by real time
    const idempotencyUntil = new Date(now.getTime() - IDEMPOTENCY_HOURS * HOUR_MS);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const counts = {
        ...(await this.sessions.deleteExpiredOfTestUsers(tx, adminEmails, now)),
        idempotencyResults: await this.repository.deleteIdempotencyResultsOfTestUsers(
          tx,
          adminEmails,
          idempotencyUntil,
        ),
        walletNonces: await this.wallets.deleteExpiredNoncesOfTestUsers(tx, adminEmails, now),
      };
      await this.audit.record(tx, admin, {
        action: 'test-data.cleanup',
        subject: AUDIT_SUBJECT,
        after: counts,
      });
      return counts;
    });
  }

  /** Erases a user, or deactivates and anonymises one to whom records of money refer. Returns true if the user was erased. */
  private async eraseOrAnonymise(tx: Tx, id: string, admin: AdminPrincipal): Promise<boolean> {
    const user = await this.accounts.lockExclusively(tx, id);
    try {
      await this.erasure.erase(tx, user);
      return true;
    } catch (error) {
      const hasMoneyRecords = error instanceof DomainError && error.code === 'INVALID_STATE';
      if (!hasMoneyRecords) throw error;
    }
    const change = { status: 'inactive', reason: 'Test data deleted', by: admin.email } as const;
    if (user.status !== 'inactive') await this.accounts.changeStatus(tx, id, change);
    await this.erasure.anonymise(tx, user);
    return false;
  }
}
