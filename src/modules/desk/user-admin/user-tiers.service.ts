import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
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
import type { UserTier } from '../../identity/users/domain/limit-tier.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import type { SecurityEvent } from '../../identity/users/users.types.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';

interface TierOfUser {
  /** Of the user. */
  readonly id: string;
  readonly tier: UserTier;
}

/** Changes of users' tiers, which set their limits, by two admins. */
@Injectable()
export class UserTiersService implements ChangeHandler, OnModuleInit {
  readonly kind = 'user.tier-change';
  readonly permission = 'users:write';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly tiers: LimitTiersService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * With FOUR_EYES it only requests the change. Returns the tier without a change if the user has it already. Throws VALIDATION_ERROR
   * for an unknown tier, REASON_REQUIRED, USER_NOT_FOUND and STEP_UP_REQUIRED.
   */
  async changeTier(
    userId: string,
    { tier, reason: reasonText }: { readonly tier: string; readonly reason?: string | undefined },
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<TierOfUser | RequestedApproval> {
    this.requireKnown(tier);
    const reason = requireReason(reasonText);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id: userId, tier });
      const user = await this.accounts.lock(tx, userId);
      const current = await this.tiers.getTierOfUser(tx, userId);
      // `getTierOfUser` returns this object only if both records of the user agree on the tier. The change sets both records.
      if (current === this.tiers.findTier(tier)) return { id: userId, tier: current };
      if (!this.fourEyes.isOn) return this.change(tx, userId, tier, reason, admin);
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { type: 'user', id: userId, label: user.email },
        before: { tier: current.id },
        after: { tier },
        input: {},
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  /** Throws INVALID_STATE if the tier has changed since the request. */
  prepareChange({ subject, before, after, reason }: PendingChange): Promise<MakeChange> {
    const tier = after.tier as string;
    this.requireKnown(tier);
    return Promise.resolve(async (tx, by) => {
      await this.accounts.lock(tx, subject.id);
      const { id } = await this.tiers.getTierOfUser(tx, subject.id);
      if (id !== before.tier) {
        const message = 'The tier has changed since the request.';
        throwError('INVALID_STATE', { status: id, action: 'tier-change', allowedFrom: [] }, { message });
      }
      await this.change(tx, subject.id, tier, reason ?? '', by);
    });
  }

  /** The caller has locked the user. */
  private async change(
    tx: Tx,
    userId: string,
    tier: string,
    reason: string,
    by: AuditActor,
  ): Promise<TierOfUser> {
    const { id: before } = await this.tiers.getTierOfUser(tx, userId);
    await this.accounts.changeTier(tx, userId, tier);
    const changed = this.requireKnown(tier);
    const event = {
      name: 'security.tier-changed',
      userId,
      at: this.clock.now(),
      tier: changed.name ?? tier,
    } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
    await this.audit.record(tx, by, {
      action: 'user.tier-change',
      subject: { type: 'user', id: userId },
      reason,
      before: { tier: before },
      after: { tier },
    });
    return { id: userId, tier: changed };
  }

  private requireKnown(id: string): UserTier {
    const ids = this.tiers.tiers.map((tier) => tier.id);
    return (
      this.tiers.findTier(id) ??
      throwError('VALIDATION_ERROR', [{ field: 'tier', message: `must be one of ${ids.join(', ')}` }])
    );
  }
}
