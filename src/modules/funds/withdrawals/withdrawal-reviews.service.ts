import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type {
  ChangeHandler,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import {
  failWithoutReview,
  requireReason,
  requireReviews,
  requireRequestedReviews,
  reviewRequest,
  type AcceptedReview,
} from '../../identity/screening/domain/reviews.js';
import type { StoredVerdict } from '../../identity/screening/domain/verdict.js';
import { ScreeningService } from '../../identity/screening/screening.service.js';
import { UserScreeningService } from '../../identity/screening/user-screening.service.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { approvalSubjectOf } from './domain/alerts-and-approvals.js';
import type { WithdrawalStatus } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { REVIEWABLE, WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';

/** Acceptances of the verdict `review` for withdrawals, each by two admins. Also handles those for users, which have the same kind. */
@Injectable()
export class WithdrawalReviewsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'screening.accept';
  readonly permission = 'withdrawals:approve';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly adminWithdrawals: AdminWithdrawalsRepository,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly screening: ScreeningService,
    private readonly withdrawalScreening: WithdrawalScreeningService,
    private readonly userScreening: UserScreeningService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * Accepts the reviews of a withdrawal's user and address, for this withdrawal; with FOUR_EYES requests this. Throws
   * REASON_REQUIRED, WITHDRAWAL_NOT_FOUND, INVALID_STATE without an open review, SERVICE_UNAVAILABLE without fresh verdicts,
   * STEP_UP_REQUIRED.
   */
  async acceptReview(
    id: string,
    reasonText: string | undefined,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AcceptedReview | RequestedApproval> {
    const reason = requireReason(reasonText);
    await this.screenMissing(id);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id });
      const { withdrawal, reviews } = await this.lockReviews(tx, id);
      if (!this.fourEyes.isOn) return this.storeAcceptance(tx, withdrawal, reviews, reason, admin);
      return this.approvals.requestChange(
        tx,
        reviewRequest(approvalSubjectOf(withdrawal), reviews, reason),
        admin,
      );
    });
  }

  async prepareChange({ subject, input, reason }: PendingChange): Promise<MakeChange> {
    const verdictIds = input.verdictIds as string[];
    if (subject.type === 'user')
      return this.userScreening.prepareAcceptance(subject.id, verdictIds, reason ?? '');
    await this.screenMissing(subject.id);
    return async (tx, by) => {
      const { withdrawal, reviews } = await this.lockReviews(tx, subject.id);
      requireRequestedReviews(reviews, verdictIds);
      await this.storeAcceptance(tx, withdrawal, reviews, reason ?? '', by);
    };
  }

  /** Asks the provider for missing verdicts. Throws WITHDRAWAL_NOT_FOUND, and INVALID_STATE if nothing can be accepted. */
  private async screenMissing(id: string): Promise<void> {
    const [candidate] = await this.adminWithdrawals.findScreeningCandidates([id]);
    if (!candidate) throwError('WITHDRAWAL_NOT_FOUND');
    requireReviewable(candidate.status);
    if (!this.screening.isConfigured) failWithoutReview();
    await this.withdrawalScreening.screenCandidate(candidate);
  }

  /** The lock serialises concurrent acceptances: the second finds no open review. */
  private async lockReviews(
    tx: Tx,
    id: string,
  ): Promise<{ withdrawal: Withdrawal; reviews: StoredVerdict[] }> {
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    requireReviewable(withdrawal.status);
    return {
      withdrawal,
      reviews: requireReviews(await this.withdrawalScreening.findVerdicts(tx, withdrawal)),
    };
  }

  private async storeAcceptance(
    tx: Tx,
    { id }: Withdrawal,
    reviews: readonly StoredVerdict[],
    reason: string,
    by: AuditActor,
  ): Promise<AcceptedReview> {
    const references = reviews.map(({ reference }) => reference);
    const acceptedBy = by.approvedBy ?? by.email;
    const acceptedAt = await this.screening.acceptForWithdrawal(tx, id, reviews, acceptedBy, reason);
    const subjects = reviews.map(({ subject }) => subject);
    await this.audit.record(tx, by, {
      action: 'withdrawal.accept-screening',
      subject: { type: 'withdrawal', id },
      reason,
      before: { screening: 'review', accepted: false },
      after: { screening: 'review', accepted: true, subjects, references },
    });
    return { id, screening: 'review', references, reason, acceptedAt, acceptedBy };
  }
}

function requireReviewable(status: WithdrawalStatus): void {
  if (!REVIEWABLE.includes(status))
    throwError('INVALID_STATE', { status, action: 'accept-screening', allowedFrom: REVIEWABLE });
}
