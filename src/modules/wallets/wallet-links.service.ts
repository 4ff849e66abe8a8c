import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { UserPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import type { SecurityEvent } from '../users/security.events.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { toChecksumAddress } from './wallet-challenges.service.js';
import { WalletsRepository } from './wallets.repository.js';
import type { LinkedWallet, UnlinkedWallet } from './wallets.types.js';

/** Bounds the queries of the chain when a user's balances are read. */
const WALLETS_PER_USER = 10;

/** Links between wallets and users. Every change of a link locks the user's row first. */
@Injectable()
export class WalletLinksService {
  constructor(
    private readonly wallets: WalletsRepository,
    private readonly users: UserAccountsService,
    private readonly unitOfWork: UnitOfWork,
    private readonly domainEvents: DomainEvents,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly sessions: SessionsService,
  ) {}

  /** The user's linked wallets, at most ten, in the order in which they were linked. */
  listLinkedWallets(userId: string): Promise<LinkedWallet[]> {
    return this.wallets.findLinkedWallets(userId);
  }

  /** Addresses of the user's wallets that are linked and not suspended. */
  listUsableAddresses(tx: Tx, userId: string): Promise<string[]> {
    return this.wallets.findUsableAddresses(tx, userId);
  }

  /**
   * Deletes a batch of the nonces for wallets of test users (`TEST_USERS`) that expired at `until` or earlier, and returns the
   * number of deleted ones.
   */
  deleteExpiredNoncesOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    return this.wallets.deleteExpiredNoncesOfTestUsers(tx, adminEmails, until);
  }

  /**
   * Links a wallet, or ends its suspension; a wallet of the user that can sign in stays unchanged. The caller has locked the
   * user. Throws FORBIDDEN for another user's wallet, and VALIDATION_ERROR for an eleventh wallet.
   */
  async link(tx: Tx, userId: string, enteredAddress: string): Promise<LinkedWallet> {
    const address = toChecksumAddress(enteredAddress);
    const at = this.clock.now();
    const wallet = await this.wallets.insertLink(tx, userId, address, at);
    if (!wallet) {
      const linkedBefore = await this.wallets.findLinkedWallet(tx, userId, address);
      const message = 'This wallet is linked to another account.';
      return linkedBefore ?? fail('FORBIDDEN', undefined, { message });
    }
    if ((await this.wallets.countLinkedWallets(tx, userId)) > WALLETS_PER_USER) {
      const message = `at most ${WALLETS_PER_USER} wallets can be linked`;
      fail('VALIDATION_ERROR', [{ field: 'address', message }]);
    }
    const detail = `The wallet ${address} can sign in to your account now.`;
    const event = { name: 'security.wallet-linked', userId, at, detail, wallet: address } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
    return wallet;
  }

  /**
   * Ends a link at the user's request. Throws WALLET_NOT_FOUND, and INVALID_STATE for the only wallet that can sign in (suspended
   * ones cannot) of a user whose e-mail address is not verified: the user could no longer sign in.
   */
  async unlinkOwn({ id: userId, email }: UserPrincipal, walletId: string): Promise<UnlinkedWallet> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.users.lockIfExists(tx, userId);
      if (await this.wallets.isOnlySignIn(tx, userId, walletId)) {
        const message =
          'This wallet is the only way to sign in to the account. Sign in by e-mail once, or link another wallet first.';
        fail('INVALID_STATE', { status: 'linked', action: 'unlink', allowedFrom: [] }, { message });
      }
      return this.unlink(tx, userId, walletId, { by: { email } });
    });
  }

  /** Ends a link and every session that the wallet has opened. The caller has locked the user. Throws WALLET_NOT_FOUND. */
  async unlink(
    tx: Tx,
    userId: string,
    walletId: string,
    { by, reason }: { by: { readonly email: string }; reason?: string | undefined },
  ): Promise<UnlinkedWallet> {
    const at = this.clock.now();
    const wallet = (await this.wallets.endLink(tx, userId, walletId, at)) ?? fail('WALLET_NOT_FOUND');
    const { address } = wallet;
    await this.sessions.revokeSessionsOfWallet(tx, walletId);
    const detail = `The wallet ${address} cannot sign in to your account any more. Its sessions have ended.`;
    const event = { name: 'security.wallet-unlinked', userId, at, detail, wallet: address } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
    await this.audit.record(tx, by, {
      action: 'wallet.unlink',
      subject: { type: 'user', id: userId },
      reason,
      before: { walletId, address },
      after: { walletId, unlinked: true },
    });
    return { ...wallet, unlinkedAt: at };
  }

  /** Deletes all links, ended ones included, for the anonymisation of a user. */
  async deleteWalletsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.wallets.deleteWalletsOfUser(tx, userId);
  }

  /**
   * Suspends all wallets of a user until each is linked again, and returns the addresses of those that were not suspended before.
   * The caller has locked the user and writes the audit entry.
   */
  async suspendAll(tx: Tx, userId: string): Promise<string[]> {
    const at = this.clock.now();
    const addresses = await this.wallets.suspendWallets(tx, userId, at);
    for (const address of addresses) {
      const detail = `Your e-mail address was changed. The wallet ${address} cannot sign in until you link it again.`;
      await this.domainEvents.emit<SecurityEvent>(tx, {
        name: 'security.wallet-suspended',
        userId,
        at,
        detail,
      });
    }
    return addresses;
  }
}
