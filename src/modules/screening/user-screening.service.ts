import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import {
  failUnscreened,
  failWithoutReview,
  requireReason,
  requireReviews,
  type AcceptedReview,
} from './domain/reviews.js';
import { userSubject, type StoredVerdict } from './domain/subject.js';
import { ScreeningRepository } from './screening.repository.js';
import { ScreeningService } from './screening.service.js';

/** Screening of users, for withdrawals by hand and for admins' decisions on the reviews of users. */
@Injectable()
export class UserScreeningService {
  constructor(
    private readonly screening: ScreeningService,
    private readonly repository: ScreeningRepository,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditService,
  ) {}

  /** Screens a user who has no fresh verdict. Never called in a transaction, whose locks would wait for the provider. */
  async screenUser(userId: string): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = userSubject(userId);
    const verdicts = await this.screening.findNewestVerdicts([subject]);
    if (!verdicts.get(subject)?.isFresh) await this.screening.screenSubjects([subject]);
  }

  /**
   * Throws INVALID_STATE with `details.screening` for a blocked user or an unaccepted review, SERVICE_UNAVAILABLE without a
   * fresh verdict. `details` describes the refused action.
   */
  async requireCleared(tx: Tx, userId: string, details: object): Promise<void> {
    if (!this.screening.isConfigured) return;
    const verdict = await this.findVerdict(tx, userId);
    if (!verdict?.isFresh) return failUnscreened();
    if (verdict.verdict === 'clear' || (verdict.verdict === 'review' && verdict.isAccepted)) return;
    const message =
      verdict.verdict === 'blocked'
        ? 'Screening has blocked this user. Reject the transaction.'
        : 'Screening requires a review of this user. Accept the review with a reason, or reject the transaction.';
    const screening = {
      screening: verdict.verdict,
      screened: 'user',
      screeningReference: verdict.reference,
    };
    fail('INVALID_STATE', { ...details, ...screening }, { message });
  }

  /**
   * Accepts a user's review until the next verdict. Throws REASON_REQUIRED, USER_NOT_FOUND, INVALID_STATE for a blocked user
   * or without an open review, SERVICE_UNAVAILABLE without a fresh verdict.
   */
  async acceptReview(
    id: string,
    reasonText: string | undefined,
    admin: AdminPrincipal,
  ): Promise<AcceptedReview> {
    const reason = requireReason(reasonText);
    await this.users.get(id);
    if (!this.screening.isConfigured) failWithoutReview();
    await this.screenUser(id);
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The lock serialises concurrent acceptances: the second finds no open review.
      await this.accounts.lock(tx, id);
      const [review] = requireReviews([await this.findVerdict(tx, id)]);
      const { id: verdictId, reference } = review as StoredVerdict;
      const acceptedAt = await this.repository.acceptVerdict(tx, verdictId, admin.email, reason);
      await this.audit.record(tx, admin, {
        action: 'user.accept-screening',
        subject: { type: 'user', id },
        reason,
        before: { screening: 'review', accepted: false },
        after: { screening: 'review', accepted: true, reference },
      });
      return { id, references: [reference], reason, acceptedAt, acceptedBy: admin.email };
    });
  }

  private async findVerdict(tx: Tx, userId: string): Promise<StoredVerdict | undefined> {
    const subject = userSubject(userId);
    return (await this.screening.findNewestVerdicts([subject], { manager: tx })).get(subject);
  }
}
