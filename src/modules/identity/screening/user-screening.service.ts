import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { throwError, type DetailsOf } from '../../../common/errors/domain-error.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { MakeChange, RequestedApproval } from '../approvals/approvals.types.js';
import { FourEyesService } from '../approvals/four-eyes.service.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import {
  failUnscreened,
  failWithoutReview,
  requireReason,
  requireReviews,
  requireRequestedReviews,
  reviewRequest,
  type AcceptedReview,
} from './domain/reviews.js';
import { userSubject, type StoredVerdict } from './domain/verdict.js';
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
    private readonly alerts: AlertsService,
    private readonly approvals: ApprovalsService,
    private readonly fourEyes: FourEyesService,
  ) {}

  /** Screens a user who has no fresh verdict. Never called in a transaction, whose locks would wait for the provider. */
  async screenUser(userId: string): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = userSubject(userId);
    const verdicts = await this.screening.getNewestVerdicts([subject]);
    if (!verdicts.get(subject)?.isFresh) await this.screening.screenSubjects([subject]);
  }

  /**
   * Throws INVALID_STATE with `details.screening` for a blocked user or an unaccepted review, SERVICE_UNAVAILABLE without a
   * fresh verdict. `details` describes the refused action.
   */
  async requireCleared(tx: Tx, userId: string, details: DetailsOf<'INVALID_STATE'>): Promise<void> {
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
    throwError('INVALID_STATE', { ...details, ...screening }, { message });
  }

  /**
   * Accepts a user's review until the next verdict; with FOUR_EYES requests this. Throws REASON_REQUIRED, USER_NOT_FOUND,
   * INVALID_STATE for a blocked user or without an open review, SERVICE_UNAVAILABLE without a fresh verdict, STEP_UP_REQUIRED.
   */
  async acceptReview(
    id: string,
    reasonText: string | undefined,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AcceptedReview | RequestedApproval> {
    const reason = requireReason(reasonText);
    await this.screenForReview(id);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id });
      const { email } = await this.accounts.lock(tx, id);
      const reviews = requireReviews([await this.findVerdict(tx, id)]);
      if (!this.fourEyes.isOn) return this.storeAcceptance(tx, id, reviews, reason, admin);
      return this.approvals.requestChange(
        tx,
        reviewRequest({ type: 'user', id, label: email }, reviews, reason),
        admin,
      );
    });
  }

  /** For the approval of an acceptance. Throws as `acceptReview` does, and INVALID_STATE for another verdict. */
  async prepareAcceptance(id: string, verdictIds: readonly string[], reason: string): Promise<MakeChange> {
    await this.screenForReview(id);
    return async (tx, by) => {
      // The lock serialises concurrent acceptances: the second finds no open review.
      await this.accounts.lock(tx, id);
      const reviews = requireReviews([await this.findVerdict(tx, id)]);
      requireRequestedReviews(reviews, verdictIds);
      await this.storeAcceptance(tx, id, reviews, reason, by);
    };
  }

  private async screenForReview(id: string): Promise<void> {
    await this.users.get(id);
    if (!this.screening.isConfigured) failWithoutReview();
    await this.screenUser(id);
  }

  private async storeAcceptance(
    tx: Tx,
    id: string,
    reviews: readonly StoredVerdict[],
    reason: string,
    by: AuditActor,
  ): Promise<AcceptedReview> {
    const review = reviews[0] as StoredVerdict;
    const acceptedBy = by.approvedBy ?? by.email;
    const acceptedAt = await this.repository.acceptVerdict(tx, review, acceptedBy, reason);
    await this.audit.record(tx, by, {
      action: 'user.accept-screening',
      subject: { type: 'user', id },
      reason,
      before: { screening: 'review', accepted: false },
      after: { screening: 'review', accepted: true, reference: review.reference },
    });
    await this.alerts.resolveBySystem('screening-review', id, tx);
    return { id, screening: 'review', references: [review.reference], reason, acceptedAt, acceptedBy };
  }

  private async findVerdict(tx: Tx, userId: string): Promise<StoredVerdict | undefined> {
    const subject = userSubject(userId);
    return (await this.screening.getNewestVerdicts([subject], { manager: tx })).get(subject);
  }
}
