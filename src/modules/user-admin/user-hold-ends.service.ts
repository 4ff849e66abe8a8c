import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { fail } from '../../common/errors/domain-error.js';
import { ApprovalHandlersService } from '../approvals/approval-handlers.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type {
  ChangeHandler,
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../approvals/approvals.types.js';
import { FourEyesService } from '../approvals/four-eyes.service.js';
import { AuditService, type AuditActor } from '../audit/audit.service.js';
import { SecurityHoldsService } from '../users/security-holds.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { SecurityHold } from '../users/users.types.js';

export interface EndedHold {
  readonly userId: string;
  readonly ended: SecurityHold;
  readonly endedBy: string;
}

/** Ends of security holds before their time, by two admins. */
@Injectable()
export class UserHoldEndsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'user.hold-end';
  readonly permission = 'users:write';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly holds: SecurityHoldsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /** With FOUR_EYES requests the end. Throws USER_NOT_FOUND, and INVALID_STATE without a hold. */
  async endHold(id: string, reason: string, admin: AuditActor): Promise<EndedHold | RequestedApproval> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      if (!this.fourEyes.isOn) return this.end(tx, id, reason, admin);
      const user = await this.accounts.lock(tx, id);
      const hold = this.holds.holdOf(user) ?? failWithoutHold();
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { type: 'user', id, label: user.email },
        before: { hold },
        after: { hold: null },
        input: { until: hold.until.toISOString() },
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  /** Throws INVALID_STATE if the hold was extended since the request: another event needs another decision. */
  prepareChange({ subject, input, reason }: PendingChange): Promise<MakeChange> {
    return Promise.resolve(async (tx, by) => {
      const { ended } = await this.end(tx, subject.id, reason ?? '', by);
      if (ended.until.toISOString() === input.until) return;
      const message = 'The hold was extended since the request.';
      fail('INVALID_STATE', { status: 'held', action: 'hold-end', allowedFrom: [] }, { message });
    });
  }

  private async end(tx: Tx, id: string, reason: string, by: AuditActor): Promise<EndedHold> {
    await this.accounts.lock(tx, id);
    const ended = (await this.holds.endHold(tx, id)) ?? failWithoutHold();
    await this.audit.record(tx, by, {
      action: 'user.hold-end',
      subject: { type: 'user', id },
      reason,
      before: { hold: ended },
      after: { hold: null },
    });
    return { userId: id, ended, endedBy: by.email };
  }
}

function failWithoutHold(): never {
  const message = 'The user has no security hold.';
  fail('INVALID_STATE', { status: 'none', action: 'hold-end', allowedFrom: ['held'] }, { message });
}
