import { Injectable, type OnModuleInit } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { afterCommit } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { AuditService, type AuditActor } from '../../core/audit/audit.service.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type {
  ChangeRequest,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { failNotLocked, LocksService } from '../../identity/locks/locks.service.js';
import { FactorsService } from '../../identity/second-factor/factors.service.js';
import {
  AccountLocksService,
  SecurityHoldsService,
} from '../../identity/users/account-restrictions.service.js';
import type { User } from '../../identity/users/entities/user.entity.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import type { AccountLock, SecurityHold } from '../../identity/users/users.types.js';

export interface Ended<Restriction> {
  /** Of the user. */
  readonly id: string;
  readonly ended: Restriction;
  readonly endedBy: string;
}

const NO_FACTORS = { passkeys: 0, totp: false } as const;

interface ResetFactors {
  /** Of the user. */
  readonly id: string;
  /** Null if SECURITY_HOLD_HOURS is 0. */
  readonly hold: SecurityHold | null;
  readonly resetBy: string;
}

/** How two admins end a restriction of an account. `find` and `end` throw INVALID_STATE if the account has none. */
interface Ending<Restriction> {
  readonly kind: 'user.hold-end' | 'user.unlock';
  readonly name: 'hold' | 'lock';
  find(tx: Tx, userId: string): Promise<Restriction>;
  end(tx: Tx, user: User, by: AuditActor, reason: string): Promise<Restriction>;
  /** The fields that differ once the restriction has been renewed. */
  identify(restriction: Restriction): Readonly<Record<string, string>>;
  failRenewed(): never;
}

/**
 * Ends security holds before their time and locks of accounts, and removes all second factors of users who have lost them, by two admins
 * unless FOUR_EYES is off.
 */
@Injectable()
export class UserAccessService implements OnModuleInit {
  private readonly hold: Ending<SecurityHold> = {
    kind: 'user.hold-end',
    name: 'hold',
    find: async (tx, userId) => (await this.holds.findHold(userId, tx)) ?? failWithoutHold(),
    end: (tx, user, by, reason) => this.endHoldOf(tx, user, by, reason),
    identify: ({ until }) => ({ until: until.toISOString() }),
    failRenewed: () => failHold('held', [], 'The hold was extended since the request.'),
  };
  private readonly lock: Ending<AccountLock> = {
    kind: 'user.unlock',
    name: 'lock',
    find: async (tx, userId) => (await this.accountLocks.findLock(userId, tx)) ?? failNotLocked(),
    end: (tx, user, by, reason) => this.locks.unlock(tx, user, by, reason),
    identify: ({ since }) => ({ since: since.toISOString() }),
    failRenewed: () => failLockedAgain(),
  };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly holds: SecurityHoldsService,
    private readonly accountLocks: AccountLocksService,
    private readonly locks: LocksService,
    private readonly factors: FactorsService,
    private readonly sessions: SessionsService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly fourEyes: FourEyesService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.registerHandler(this.hold);
    this.registerHandler(this.lock);
    this.handlers.registerChange({
      kind: 'user.factor-reset',
      permission: 'users:write',
      prepareChange: ({ subject, reason }) =>
        Promise.resolve((tx: Tx, by: AuditActor) => this.reset(tx, subject.id, reason ?? '', by)),
    });
  }

  /** With FOUR_EYES it only requests the end. Throws USER_NOT_FOUND, INVALID_STATE without a hold, and STEP_UP_REQUIRED. */
  endHold(
    userId: string,
    reason: string,
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<Ended<SecurityHold> | RequestedApproval> {
    return this.requestEnd(this.hold, userId, reason, admin, requireStepUp);
  }

  /** Ends the lock. Throws as `endHold` does. */
  unlock(
    userId: string,
    reason: string,
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<Ended<AccountLock> | RequestedApproval> {
    return this.requestEnd(this.lock, userId, reason, admin, requireStepUp);
  }

  /**
   * Removes all second factors; a lock of the account stays. With FOUR_EYES it only requests this. Throws USER_NOT_FOUND and
   * STEP_UP_REQUIRED.
   */
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
        kind: 'user.factor-reset',
        subject: { type: 'user', id, label: user.email },
        before: { passkeys: passkeys.length, totp: totpSince !== null },
        after: NO_FACTORS,
        input: {},
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  private requestEnd<Restriction>(
    ending: Ending<Restriction>,
    userId: string,
    reason: string,
    admin: AuditActor,
    requireStepUp: StepUpCheck,
  ): Promise<Ended<Restriction> | RequestedApproval> {
    const { kind, name } = ending;
    return this.unitOfWork.runInTransaction(async (tx) => {
      await requireStepUp(tx, { id: userId });
      const user = await this.accounts.lock(tx, userId);
      if (!this.fourEyes.isOn)
        return { id: userId, ended: await ending.end(tx, user, admin, reason), endedBy: admin.email };
      const restriction = await ending.find(tx, userId);
      const subject = { type: 'user', id: userId, label: user.email };
      const before = { [name]: restriction };
      const after = { [name]: null };
      const input = ending.identify(restriction);
      return this.approvals.requestChange(tx, { kind, subject, before, after, input, reason }, admin);
    });
  }

  /** The change throws INVALID_STATE if the restriction was renewed since the request: another event needs another decision. */
  private registerHandler<Restriction>(ending: Ending<Restriction>): void {
    const prepareChange = ({ subject, input, reason }: PendingChange) =>
      Promise.resolve(async (tx: Tx, by: AuditActor) => {
        const user = await this.accounts.lock(tx, subject.id);
        const ended = await ending.end(tx, user, by, reason ?? '');
        for (const [field, value] of Object.entries(ending.identify(ended)))
          if (input[field] !== value) ending.failRenewed();
      });
    this.handlers.registerChange({ kind: ending.kind, permission: 'users:write', prepareChange });
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

  private async endHoldOf(tx: Tx, { id }: User, by: AuditActor, reason: string): Promise<SecurityHold> {
    const ended = (await this.holds.endHold(tx, id)) ?? failWithoutHold();
    await this.audit.record(tx, by, {
      action: 'user.hold-end',
      subject: { type: 'user', id },
      reason,
      before: { hold: ended },
      after: { hold: null },
    });
    return ended;
  }
}

function failWithoutHold(): never {
  return failHold('none', ['held'], 'The user has no security hold.');
}

function failHold(status: string, allowedFrom: readonly string[], message: string): never {
  return throwError('INVALID_STATE', { status, action: 'hold-end', allowedFrom }, { message });
}

function failLockedAgain(): never {
  const message = 'The account was locked again since the request.';
  return throwError('INVALID_STATE', { status: 'locked', action: 'unlock', allowedFrom: [] }, { message });
}
