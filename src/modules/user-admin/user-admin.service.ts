import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../database/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import type { SecurityEvent } from '../users/security.events.js';
import { UserAccountsService, type StatusChange } from '../users/user-accounts.service.js';
import type { UserStatus } from '../users/users.types.js';
import type { User } from '../users/entities/user.entity.js';
import { WalletLinksService, type UnlinkedWallet } from '../wallets/wallet-links.service.js';
import { UserDetailRepository, type ChangedUser } from './user-detail.repository.js';
import { UserErasureService } from './user-erasure.service.js';

interface Wish {
  readonly email?: string;
  readonly status?: UserStatus;
  readonly reason?: string | null;
  readonly notifyUser: boolean;
}

/** What was left of somebody when they were removed. Money is USDC. */
export interface RemovedUser {
  readonly id: string;
  readonly email: string;
  readonly permanent: boolean;
  readonly deactivatedAt: Date;
  readonly deactivatedBy: string;
  readonly totalInvested: Money;
  readonly totalWithdrawn: Money;
  readonly totalEarnings: Money;
}

/** Everything that admins do with users. */
@Injectable()
export class UserAdminService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: UserAccountsService,
    private readonly admins: AdminDirectoryService,
    private readonly sessions: SessionsService,
    private readonly wallets: WalletLinksService,
    private readonly queries: UserDetailRepository,
    private readonly erasure: UserErasureService,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
  ) {}

  /** Throws VALIDATION_ERROR when the e-mail or the id is taken, FORBIDDEN when the wallet is. */
  async create(
    wish: { email: string; id?: string; status: UserStatus; walletAddress?: string | null },
    admin: AdminPrincipal,
  ): Promise<ChangedUser> {
    const email = this.usersEmail(wish.email);
    const id = wish.id?.toLowerCase() ?? newId();
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.create(tx, { id, email, status: wish.status, createdBy: admin.email });
      if (wish.walletAddress) await this.wallets.link(tx, id, wish.walletAddress);
      const user = await this.queries.account(id, tx);
      const { status, walletAddress } = user;
      await this.audit.record(tx, admin, {
        action: 'user.create',
        subject: { type: 'user', id },
        after: { email, status, walletAddress },
      });
      return user;
    });
  }

  /**
   * Changes what is given and is not so already. Whoever loses the account by it, by its status or by its e-mail
   * address, loses every session of it for good: none comes back to life with the account. Another e-mail address suspends
   * every linked wallet, too. Throws REASON_REQUIRED, USER_NOT_FOUND, VALIDATION_ERROR when the
   * e-mail is somebody else's, FORBIDDEN for an admin's account.
   */
  async change(id: string, wish: Wish, admin: AdminPrincipal): Promise<ChangedUser> {
    const reason = wish.reason?.trim() || null;
    if (wish.status === 'suspended' && reason === null) fail('REASON_REQUIRED');
    const email = wish.email === undefined ? undefined : this.usersEmail(wish.email);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lock(tx, id);
      this.requireNoAdmin(user);
      const status = wish.status ?? user.status;
      const isMoved = status !== user.status;
      const isRenamed = email !== undefined && email !== user.email;
      if (isRenamed) await this.accounts.changeEmail(tx, id, email);
      const suspendedWallets = isRenamed ? await this.wallets.suspendAll(tx, id) : [];
      if (isRenamed || status !== 'active') await this.sessions.revokeAll(tx, { type: 'user', id });
      if (isMoved) await this.moveTo(tx, user, { status, reason, by: admin.email }, wish.notifyUser);
      if (isMoved || isRenamed) {
        await this.audit.record(tx, admin, {
          action: 'user.change',
          subject: { type: 'user', id },
          reason: reason ?? undefined,
          before: { email: user.email, status: user.status },
          after: {
            ...{ email: email ?? user.email, status, notifyUser: wish.notifyUser },
            ...(suspendedWallets.length > 0 ? { suspendedWallets } : {}),
          },
        });
      }
      return this.queries.account(id, tx);
    });
  }

  /**
   * Deactivates a user who is not inactive already, or with `permanent` erases one for whom nothing of money was ever recorded. Throws
   * USER_NOT_FOUND, FORBIDDEN for an admin's account, ACTIVE_INVESTMENTS_EXIST, INVALID_STATE while money is
   * reserved for withdrawals and, with `permanent`, when there is a history to keep.
   */
  async remove(id: string, permanent: boolean, admin: AdminPrincipal): Promise<RemovedUser> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.accounts.lockAlone(tx, id);
      this.requireNoAdmin(user);
      const figures = await this.requireNothingOpen(tx, user);
      const by: StatusChange = { status: 'inactive', reason: null, by: admin.email };
      const isMoved = user.status !== 'inactive';
      if (isMoved) await this.moveTo(tx, user, by, !permanent);
      await this.sessions.revokeAll(tx, { type: 'user', id });
      const { updatedAt, history } = await this.queries.account(id, tx);
      if (permanent) await this.erasure.erase(tx, user);
      if (isMoved || permanent) {
        await this.audit.record(tx, admin, {
          action: permanent ? 'user.erase' : 'user.deactivate',
          subject: { type: 'user', id },
          before: { email: user.email, status: user.status },
          after: permanent ? { erased: true } : { email: user.email, status: 'inactive' },
        });
      }
      const [last] = history;
      return {
        id,
        email: user.email,
        permanent,
        deactivatedAt: last?.changedAt ?? updatedAt,
        deactivatedBy: last?.changedBy ?? admin.email,
        ...figures,
      };
    });
  }

  /** Ends the link between a user and a wallet. Throws USER_NOT_FOUND, WALLET_NOT_FOUND. */
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

  /** The user is told of it unless an admin says otherwise. */
  private async moveTo(tx: Tx, { id: userId }: User, change: StatusChange, tell: boolean): Promise<void> {
    const at = await this.accounts.changeStatus(tx, userId, change);
    if (!tell) return;
    const detail = `${NEWS[change.status]}${change.reason ? ` Reason: ${change.reason}` : ''}`;
    await this.domainEvents.emit<SecurityEvent>(tx, { name: 'security.status-changed', userId, at, detail });
  }

  /** Nobody is shut out of money at work or on its way. */
  private async requireNothingOpen(
    tx: Tx,
    { id, status }: User,
  ): Promise<Pick<RemovedUser, 'totalInvested' | 'totalWithdrawn' | 'totalEarnings'>> {
    const [row] = await tx.query<
      { open: number; reserved: string; invested: string; withdrawn: string; earnings: string }[]
    >(
      `select (select count(*)::int from investment where user_id = $1 and status in ('pending', 'active')) as open,
              coalesce((select balance from ledger_account
                where owner_id = $1 and kind = 'user.reserved' and scope = '' and asset = 'USDC'), 0) as reserved,
              total_invested as invested, total_withdrawn as withdrawn, total_earnings as earnings
         from user_figures where user_id = $1`,
      [id],
    );
    if (!row) return fail('USER_NOT_FOUND');
    if (row.open > 0) fail('ACTIVE_INVESTMENTS_EXIST', { activeInvestments: row.open });
    const reserved = Money.of(row.reserved);
    if (reserved.isPositive()) {
      const message = 'The user has withdrawals in progress. Complete or reject them first.';
      fail('INVALID_STATE', { status, action: 'delete', reserved: reserved.toWire() }, { message });
    }
    return {
      totalInvested: Money.of(row.invested),
      totalWithdrawn: Money.of(row.withdrawn),
      totalEarnings: Money.of(row.earnings),
    };
  }

  /** Admins are whom the configuration lists: no user can take their address. */
  private usersEmail(given: string): string {
    const email = given.toLowerCase();
    if (this.admins.byEmail(email)) fail('VALIDATION_ERROR', [{ field: 'email', message: "is an admin's" }]);
    return email;
  }

  /** What the identity provider's sign-in of an admin has left: who may act as one is up to the configuration. */
  private requireNoAdmin({ email }: User): void {
    if (!this.admins.byEmail(email)) return;
    fail('FORBIDDEN', undefined, { message: 'This is an admin: admins are kept in the configuration.' });
  }
}

const NEWS: Record<UserStatus, string> = {
  active: 'Your account is active again.',
  inactive: 'Your account has been deactivated.',
  suspended: 'Your account has been suspended.',
};
