import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import type {
  ChangeHandler,
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { requireReason } from '../../identity/screening/domain/reviews.js';
import { AdminWithdrawalsRepository } from './admin-withdrawals.repository.js';
import { approvalSubjectOf } from './domain/alerts-and-approvals.js';
import { isHeldByPlatformLimit } from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { PlatformLimitRepository } from './platform-limit.repository.js';
import type { WithdrawalLimitEvent } from './withdrawal.events.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import {
  SYSTEM_ACTOR,
  type Actor,
  type AdminWithdrawal,
  type NewWithdrawal,
  type WithdrawalOwner,
} from './withdrawals.types.js';

/**
 * PLATFORM_WITHDRAWAL_PER_DAY, the limit of all users together. A request above it waits until the rolling 24 hours have room for it, or
 * two admins release it. While it waits, its amount counts against later requests.
 */
@Injectable()
export class PlatformLimitService implements ChangeHandler, OnModuleInit {
  readonly kind = 'withdrawal.release';
  readonly permission = 'withdrawals:approve';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: PlatformLimitRepository,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly adminWithdrawals: AdminWithdrawalsRepository,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /** Undefined without a limit. */
  get limit(): Money | undefined {
    return this.config.PLATFORM_WITHDRAWAL_PER_DAY;
  }

  /** Whether a new withdrawal has to wait. With a limit, requests of all users wait for each other from here to their commits. */
  async isExceededBy(tx: Tx, amount: Money): Promise<boolean> {
    if (!this.limit) return false;
    const { used, waiting } = await this.repository.lockSums(tx, this.clock.now(), this.limit);
    return used.plus(waiting).plus(amount).isMoreThan(this.limit);
  }

  /** In the transaction that holds or releases the withdrawal. */
  async emitLimitEvent(
    tx: Tx,
    name: WithdrawalLimitEvent['name'],
    { id: withdrawalId, userId, amount, currency }: NewWithdrawal,
    at: Date,
  ): Promise<void> {
    const event = { name, userId, at, withdrawalId, amount, currency };
    await this.domainEvents.emit<WithdrawalLimitEvent>(tx, event);
  }

  /** The used part of the limit plus the withdrawals that wait for it. */
  async getUsedAndWaiting(limit: Money): Promise<Money> {
    const { used, waiting } = await this.repository.getSums(this.clock.now(), limit);
    return used.plus(waiting);
  }

  /** Ids of the withdrawals that a later time or another limit can release, the oldest first. */
  listWaiting(count: number): Promise<string[]> {
    return this.repository.findHeld(this.limit, count);
  }

  /** Releases a waiting withdrawal; false if there is no room for it. Skips a withdrawal that waits no more, and returns true. */
  async releaseIfRoom(id: string): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The row is locked before the sums: a user's cancellation that holds the row never waits for the sums.
      const withdrawal = await this.repository.lockHeld(tx, id);
      if (!withdrawal) return true;
      if (this.limit) {
        const { used } = await this.repository.lockSums(tx, this.clock.now(), this.limit);
        if (used.plus(withdrawal.amount).isMoreThan(this.limit)) return false;
      }
      await this.release(tx, withdrawal, SYSTEM_ACTOR, null);
      return true;
    });
  }

  /**
   * Releases a withdrawal although the limit has no room for it; with FOUR_EYES requests this. Throws REASON_REQUIRED,
   * STEP_UP_REQUIRED, WITHDRAWAL_NOT_FOUND, INVALID_STATE unless it waits, and FOUR_EYES_REQUIRED for the admin's own withdrawal.
   */
  async releaseByAdmin(
    id: string,
    reasonText: string | undefined,
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<AdminWithdrawal | RequestedApproval> {
    const reason = requireReason(reasonText);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id });
      if (!this.fourEyes.isOn) return this.releaseAndAudit(tx, id, reason, admin);
      const { withdrawal } = await this.lockHeld(tx, id, admin);
      const request: ChangeRequest = {
        kind: this.kind,
        subject: approvalSubjectOf(withdrawal),
        before: { heldByPlatformLimit: true },
        after: { heldByPlatformLimit: false },
        input: {},
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  prepareChange({ subject, reason }: PendingChange): Promise<MakeChange> {
    return Promise.resolve((tx, by) => this.releaseAndAudit(tx, subject.id, reason ?? '', by));
  }

  private async releaseAndAudit(
    tx: Tx,
    id: string,
    reason: string,
    by: AuditActor,
  ): Promise<AdminWithdrawal> {
    const { withdrawal, owner } = await this.lockHeld(tx, id, by);
    const platformReleasedAt = await this.release(tx, withdrawal, { type: 'admin', id: by.email }, reason);
    await this.audit.record(tx, by, {
      action: 'withdrawal.unhold',
      subject: { type: 'withdrawal', id },
      reason,
      before: { heldByPlatformLimit: true },
      after: { heldByPlatformLimit: false },
    });
    return { ...withdrawal, platformReleasedAt, ...owner };
  }

  /** Throws WITHDRAWAL_NOT_FOUND, INVALID_STATE unless the withdrawal waits, and FOUR_EYES_REQUIRED for the money of an acting admin. */
  private async lockHeld(
    tx: Tx,
    id: string,
    by: AuditActor,
  ): Promise<{ withdrawal: Withdrawal; owner: WithdrawalOwner }> {
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    const owner = await this.adminWithdrawals.getOwner(tx, id);
    this.fourEyes.refuseOwnMoney(owner.userEmail, by.email);
    if (by.approvedBy) this.fourEyes.refuseOwnMoney(owner.userEmail, by.approvedBy);
    if (isHeldByPlatformLimit(withdrawal)) return { withdrawal, owner };
    const message = 'The withdrawal does not wait because of PLATFORM_WITHDRAWAL_PER_DAY.';
    return throwError(
      'INVALID_STATE',
      { status: withdrawal.status, action: 'release', allowedFrom: ['pending'] },
      { message },
    );
  }

  private async release(tx: Tx, withdrawal: Withdrawal, by: Actor, note: string | null): Promise<Date> {
    const at = this.clock.now();
    this.withdrawals.updateWithdrawal(
      tx,
      withdrawal,
      { platformReleasedAt: at },
      { verb: 'unhold', by, at, note },
    );
    await this.emitLimitEvent(tx, 'withdrawal-limit.released', withdrawal, at);
    return at;
  }
}
