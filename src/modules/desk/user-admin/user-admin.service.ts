import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import type { RequestedApproval } from '../../identity/approvals/approvals.types.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { UserSessionsService } from '../../identity/auth/user-sessions.service.js';
import { UserAccountsService, type StatusChange } from '../../identity/users/user-accounts.service.js';
import type { UserStatus, SecurityEvent, UserEvent } from '../../identity/users/users.types.js';
import type { User } from '../../identity/users/entities/user.entity.js';
import { toChecksumAddress } from '../../identity/wallets/wallet-challenges.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';
import type { UnlinkedWallet } from '../../identity/wallets/wallets.types.js';
import type { AccountWithHistory, CreatedUser, FinalFigures, RemovedUser } from './user-admin.types.js';
import { UserAdminRepository } from './user-admin.repository.js';
import { UserEmailsService } from './user-emails.service.js';
import { UserErasureService } from './user-erasure.service.js';

interface UserChange {
  readonly email?: string;
  readonly status?: UserStatus;
  readonly reason?: string | null;
  readonly notifyUser: boolean;
}

/** Changes of users by admins. */
@Injectable()
export class UserAdminService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly userSessions: UserSessionsService,
    private readonly wallets: WalletLinksService,
    private readonly repository: UserAdminRepository,
    private readonly emails: UserEmailsService,
    private readonly fourEyes: FourEyesService,
    private readonly erasure: UserErasureService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
  ) {}

  /**
   * Creates a user. The wallet is only a proposal, which the audit log records: it cannot sign in until its owner links it by a
   * signature, and another user can link it, too. Throws VALIDATION_ERROR if another user has the id, or another user or an admin has the
   * e-mail address.
   */
  async create(
    input: { email: string; id?: string; status: UserStatus; walletAddress?: string | null },
    admin: AdminPrincipal,
  ): Promise<CreatedUser> {
    const email = this.emails.requireUserEmail(input.email);
    const proposedWallet = input.walletAddress ? toChecksumAddress(input.walletAddress) : null;
    const id = input.id?.toLowerCase() ?? newId();
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.create(tx, { id, email, status: input.status, createdBy: admin.email });
      const user = await this.getAccount(id, tx);
      await this.audit.record(tx, admin, {
        action: 'user.create',
        subject: { type: 'user', id },
        after: { email, status: user.status, proposedWallet },
      });
      return { ...user, proposedWallet };
    });
  }

  /**
   * Changes the given fields; with FOUR_EYES a new e-mail address waits for a second admin. Revokes all sessions unless the user
   * is active and keeps the e-mail address; a new address also suspends all wallets, revokes all API keys and disables all webhooks.
   * Throws REASON_REQUIRED for a suspension without a reason, STEP_UP_REQUIRED for another e-mail address, USER_NOT_FOUND,
   * VALIDATION_ERROR if another user or an admin has the e-mail address, and FORBIDDEN for an admin's account.
   */
  async change(
    id: string,
    change: UserChange,
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AccountWithHistory | RequestedApproval> {
    const reason = change.reason?.trim() || null;
    if (change.status === 'suspended' && reason === null)
      throwError('REASON_REQUIRED', [{ field: 'reason', message: 'is required with the status suspended' }]);
    if (change.email !== undefined && this.fourEyes.isOn && (await this.isNewEmail(id, change.email))) {
      const requested = { email: change.email, status: change.status, reason };
      return this.requestEmailChange(id, requested, admin, requireStepUp);
    }
    const email = change.email === undefined ? undefined : this.emails.requireUserEmail(change.email);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, id);
      this.emails.refuseAdmin(user);
      const status = change.status ?? user.status;
      const isStatusNew = status !== user.status;
      const isEmailNew = email !== undefined && email !== user.email;
      if (isEmailNew && this.fourEyes.isOn) {
        const message = 'The e-mail address has changed meanwhile. Send the request again.';
        throwError('INVALID_STATE', { status: user.status, action: 'change', allowedFrom: [] }, { message });
      }
      if (isEmailNew) await requireStepUp(tx, { id, email });
      const ended = isEmailNew ? await this.emails.changeEmail(tx, user, email) : {};
      if (status !== 'active') await this.sessions.revokeAllSessions(tx, id);
      if (isStatusNew) {
        const { notifyUser } = change;
        await this.changeStatus(tx, user, { status, reason, by: admin.email }, { notifyUser });
      }
      if (isStatusNew || isEmailNew) {
        await this.audit.record(tx, admin, {
          action: 'user.change',
          subject: { type: 'user', id },
          reason: reason ?? undefined,
          before: { email: user.email, status: user.status },
          after: {
            email: email ?? user.email,
            status,
            notifyUser: change.notifyUser,
            ...ended,
          },
        });
      }
      return this.getAccount(id, tx);
    });
  }

  /**
   * Deactivates a user or, with `permanent`, erases a user without records of money. Throws USER_NOT_FOUND, FORBIDDEN for an
   * admin's account, ACTIVE_INVESTMENTS_EXIST, and INVALID_STATE while money is reserved for withdrawals or if, with
   * `permanent`, records of money refer to the user.
   */
  async remove(id: string, permanent: boolean, admin: AdminPrincipal): Promise<RemovedUser> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lockExclusively(tx, id);
      this.emails.refuseAdmin(user);
      const figures = await this.requireNoOpenMoney(tx, user);
      // An erasure deactivates first, too: its response states when and by whom.
      const deactivation: StatusChange = { status: 'inactive', reason: null, by: admin.email };
      const isStatusNew = user.status !== 'inactive';
      if (isStatusNew && permanent) await this.accounts.changeStatus(tx, id, deactivation);
      else if (isStatusNew) await this.changeStatus(tx, user, deactivation, { notifyUser: true });
      await this.sessions.revokeAllSessions(tx, id);
      const { updatedAt, history } = await this.getAccount(id, tx);
      if (permanent) await this.erasure.erase(tx, user);
      if (isStatusNew || permanent) {
        await this.audit.record(tx, admin, {
          action: permanent ? 'user.erase' : 'user.deactivate',
          subject: { type: 'user', id },
          before: { email: user.email, status: user.status },
          after: permanent ? { erased: true } : { email: user.email, status: 'inactive' },
        });
      }
      const [newest] = history;
      return {
        id,
        email: user.email,
        permanent,
        deactivatedAt: newest?.changedAt ?? updatedAt,
        deactivatedBy: newest?.changedBy ?? admin.email,
        ...figures,
      };
    });
  }

  /** Unlinks a wallet from a user and ends the sessions that it has opened. Throws USER_NOT_FOUND, WALLET_NOT_FOUND. */
  async unlinkWallet(
    id: string,
    walletId: string,
    reason: string | null | undefined,
    admin: AdminPrincipal,
  ): Promise<UnlinkedWallet> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.lock(tx, id);
      return this.wallets.unlink(tx, id, walletId, { by: admin, reason: reason?.trim() || undefined });
    });
  }

  /** Ends all sessions of a user and returns their number. Throws USER_NOT_FOUND. */
  async endSessions(id: string, admin: AdminPrincipal): Promise<number> {
    const count = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.lock(tx, id);
      const ended = await this.userSessions.endAllSessions(tx, id);
      const subject = { type: 'user', id };
      await this.audit.record(tx, admin, { action: 'user.end-sessions', subject, after: { ended } });
      return ended;
    });
    this.sessions.forgetSessionsOfUser(id); // the notification that clears the caches of all processes arrives a moment later
    return count;
  }

  /** With FOUR_EYES: requests the new e-mail address. The status changes at once, so that the same call cannot change it. */
  private async requestEmailChange(
    id: string,
    change: { email: string; status: UserStatus | undefined; reason: string | null },
    admin: AdminPrincipal,
    requireStepUp: StepUpCheck,
  ): Promise<AccountWithHistory | RequestedApproval> {
    const { email, status, reason } = change;
    if (status !== undefined) {
      const message = 'cannot be changed together with email, which a second admin approves';
      throwError('VALIDATION_ERROR', [{ field: 'status', message }]);
    }
    if (reason === null)
      throwError('REASON_REQUIRED', [{ field: 'reason', message: 'is required with email' }]);
    const requested = await this.emails.requestChange(id, email, reason, admin, requireStepUp);
    return requested ?? this.getAccount(id);
  }

  /** Changes the status and emits `user.status-changed`; with `notifyUser` also `security.status-changed`, which notifies the user. */
  private async changeStatus(
    tx: Tx,
    { id: userId }: User,
    change: StatusChange,
    { notifyUser }: { notifyUser: boolean },
  ): Promise<void> {
    const at = await this.accounts.changeStatus(tx, userId, change);
    const { status, reason } = change;
    const changed = { name: 'user.status-changed', userId, at, status, createdBy: null } as const;
    await this.domainEvents.emit<UserEvent>(tx, changed);
    if (!notifyUser) return;
    const event = { name: 'security.status-changed', userId, at, status, reason } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
  }

  /** A removal must not lock users out of open investments or withdrawals in progress. */
  private async requireNoOpenMoney(tx: Tx, { id, status }: User): Promise<FinalFigures> {
    const figures = (await this.repository.findFinalFigures(tx, id)) ?? throwError('USER_NOT_FOUND');
    const { openInvestments, reserved, ...finalFigures } = figures;
    if (openInvestments > 0) throwError('ACTIVE_INVESTMENTS_EXIST', { activeInvestments: openInvestments });
    if (reserved.isPositive()) {
      const message = 'The user has withdrawals in progress. Complete or reject them first.';
      const details = { status, action: 'delete', allowedFrom: [], reserved: reserved.toWire() };
      throwError('INVALID_STATE', details, { message });
    }
    return finalFigures;
  }

  private async isNewEmail(id: string, email: string): Promise<boolean> {
    return email !== (await this.getAccount(id)).email;
  }

  private async getAccount(id: string, tx?: Tx): Promise<AccountWithHistory> {
    return (await this.repository.findAccount(id, tx)) ?? throwError('USER_NOT_FOUND');
  }
}
