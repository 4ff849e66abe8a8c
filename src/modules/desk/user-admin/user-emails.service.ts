import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { ApiKeysService } from '../../identity/api-keys/api-keys.service.js';
import { ApprovalHandlersService } from '../../identity/approvals/approval-handlers.service.js';
import { ApprovalsService } from '../../identity/approvals/approvals.service.js';
import type {
  ChangeHandler,
  ChangeRequest,
  MakeChange,
  PendingChange,
  RequestedApproval,
} from '../../identity/approvals/approvals.types.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SessionsService } from '../../identity/auth/sessions.service.js';
import { WebhooksService } from '../../messaging/webhooks/webhooks.service.js';
import type { User } from '../../identity/users/entities/user.entity.js';
import type { EmailChangedEvent } from '../../identity/users/users.types.js';
import { UserAccountsService } from '../../identity/users/user-accounts.service.js';
import { WalletLinksService } from '../../identity/wallets/wallet-links.service.js';

/** Changes of users' e-mail addresses by admins. The address is the user's identity, so that two admins make the change. */
@Injectable()
export class UserEmailsService implements ChangeHandler, OnModuleInit {
  readonly kind = 'user.email-change';
  readonly permission = 'users:write';

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly admins: AdminDirectoryService,
    private readonly approvals: ApprovalsService,
    private readonly handlers: ApprovalHandlersService,
    private readonly sessions: SessionsService,
    private readonly wallets: WalletLinksService,
    private readonly apiKeys: ApiKeysService,
    private readonly webhooks: WebhooksService,
    private readonly domainEvents: DomainEvents,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.handlers.registerChange(this);
  }

  /**
   * Requests the change; undefined if the user has the address already. Throws USER_NOT_FOUND, FORBIDDEN for an admin's account, and
   * VALIDATION_ERROR if another user or an admin has the address.
   */
  async requestChange(
    id: string,
    address: string,
    reason: string,
    admin: { readonly email: string },
    requireStepUp: StepUpCheck,
  ): Promise<RequestedApproval | undefined> {
    const email = this.requireUserEmail(address);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, id);
      this.refuseAdmin(user);
      if (email === user.email) return undefined;
      await requireStepUp(tx, { id, email });
      await this.accounts.requireUnusedEmail(tx, email);
      const request: ChangeRequest = {
        kind: this.kind,
        subject: { type: 'user', id, label: user.email },
        before: { email: user.email },
        after: { email },
        input: {},
        reason,
      };
      return this.approvals.requestChange(tx, request, admin);
    });
  }

  async prepareChange({ subject, before, after, reason }: PendingChange): Promise<MakeChange> {
    const email = this.requireUserEmail(after.email as string);
    return async (tx, by) => {
      const user = await this.accounts.lock(tx, subject.id);
      this.refuseAdmin(user);
      if (user.email !== before.email) {
        const message = 'The e-mail address has changed since the request.';
        const details = { status: user.status, action: 'email-change', allowedFrom: [] };
        throwError('INVALID_STATE', details, { message });
      }
      const ended = await this.changeEmail(tx, user, email);
      await this.audit.record(tx, by, {
        action: 'user.change',
        subject: { type: 'user', id: user.id },
        reason: reason ?? undefined,
        before: { email: user.email },
        after: { email, ...ended },
      });
    };
  }

  /**
   * Ends every access of the former address: sessions, wallets, API keys and webhooks (DEC-17, DEC-39, DEC-59). The caller has
   * locked the user. Returns what has ended, for the audit log.
   */
  async changeEmail(tx: Tx, user: User, email: string): Promise<Record<string, unknown>> {
    const { id } = user;
    // Webhooks are locked before the address changes, because a transaction that stores the result of a delivery locks the
    // webhook before it refers to the user.
    const disabledWebhooks = await this.webhooks.disableAllForChangedEmail(tx, id);
    const hold = await this.accounts.changeEmail(tx, id, email);
    const suspendedWallets = await this.wallets.suspendAll(tx, id);
    const revokedKeys = await this.apiKeys.revokeAllKeys(tx, id);
    await this.domainEvents.emit<EmailChangedEvent>(tx, {
      name: 'email.changed',
      userId: id,
      at: this.clock.now(),
      from: user.email,
      to: email,
      suspendedWallets,
      revokedKeys,
      disabledWebhooks,
      holdUntil: hold?.until ?? null,
    });
    await this.sessions.revokeAllSessions(tx, id);
    return {
      ...(suspendedWallets.length > 0 ? { suspendedWallets } : {}),
      ...(revokedKeys.length > 0 ? { revokedApiKeys: revokedKeys.map(({ prefix }) => prefix) } : {}),
      ...(disabledWebhooks.length > 0
        ? { disabledWebhooks: disabledWebhooks.map((webhook) => webhook.id) }
        : {}),
    };
  }

  /** Returns the e-mail address. Throws VALIDATION_ERROR for an admin's address. */
  requireUserEmail(email: string): string {
    if (this.admins.findAdminByEmail(email))
      throwError('VALIDATION_ERROR', [{ field: 'email', message: "is an admin's" }]);
    return email;
  }

  /**
   * An admin who has signed in with the identity provider has a user's account, too. Throws FORBIDDEN for it, because
   * only ADMINS_FILE may change an admin.
   */
  refuseAdmin({ email }: User): void {
    if (!this.admins.findAdminByEmail(email)) return;
    throwError('FORBIDDEN', undefined, {
      message: 'This is an admin. Change the entry in ADMINS_FILE instead.',
    });
  }
}
