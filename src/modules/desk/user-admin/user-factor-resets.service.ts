import { Injectable, type OnModuleInit } from '@nestjs/common';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
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
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { FactorsService } from '../../identity/second-factor/factors.service.js';
import { SecurityHoldsService } from '../../identity/users/account-restrictions.service.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import type { SecurityHold } from '../../identity/users/users.types.js';

const NO_FACTORS = { passkeys: 0, totp: false } as const;

export interface ResetFactors {
  /** Of the user. */
  readonly id: string;
  /** Null if SECURITY_HOLD_HOURS is 0. */
  readonly hold: SecurityHold | null;
  readonly resetBy: string;
}

/** Removes all second factors of users who have lost them, by two admins unless FOUR_EYES is off. A lock of the account stays. */
@Injectable()
export class UserFactorResetsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'user.factor-reset';
  readonly permission = 'users:write';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly factors: FactorsService,
    private readonly holds: SecurityHoldsService,
    private readonly sessions: SessionsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /** With FOUR_EYES it only requests the reset. Throws USER_NOT_FOUND and STEP_UP_REQUIRED. */
  async resetFactors(
    id: string,
    reason: string,
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<ResetFactors | RequestedApproval> {
    const { passkeys, totpSince } = await this.factors.getFactors({ type: 'user', id });
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id });
      if (!this.fourEyes.isOn) return this.reset(tx, id, reason, admin);
      const user = await this.accounts.lock(tx, id);
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { type: 'user', id, label: user.email },
        before: { passkeys: passkeys.length, totp: totpSince !== null },
        after: NO_FACTORS,
        input: {},
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  prepareChange({ subject, reason }: PendingChange): Promise<MakeChange> {
    return Promise.resolve((tx, by) => this.reset(tx, subject.id, reason ?? '', by));
  }

  private async reset(tx: Tx, id: string, reason: string, by: AuditActor): Promise<ResetFactors> {
    await this.accounts.lock(tx, id);
    const before = await this.factors.resetFactors(tx, id);
    await this.sessions.revokeAllSessions(tx, id);
    afterCommit(tx, () => this.sessions.forgetSessionsOfUser(id));
    await this.audit.record(tx, by, {
      action: 'user.factor-reset',
      subject: { type: 'user', id },
      reason,
      before,
      after: NO_FACTORS,
    });
    return { id, hold: await this.holds.findHold(id, tx), resetBy: by.email };
  }
}
