import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../events/domain-events.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import type { SecurityEvent } from '../users/users.types.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { Wallet } from './entities/wallet.entity.js';
import { toChecksumAddress } from './wallet-challenges.service.js';
import { WalletsRepository } from './wallets.repository.js';
import type { LinkedWallet, UnlinkedWallet, WalletOwner } from './wallets.types.js';

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
    private readonly seals: CredentialSealsService,
  ) {}

  /** The user's linked wallets, at most ten, in the order in which they were linked. */
  listLinkedWallets(userId: string): Promise<LinkedWallet[]> {
    return this.wallets.findLinkedWallets(userId);
  }

  /** Addresses of the user's wallets that are linked, not suspended, and whose rows the service has written. */
  async listUsableAddresses(tx: Tx, userId: string): Promise<string[]> {
    const wallets = await this.wallets.findUsableWallets(tx, userId);
    return wallets.filter((wallet) => this.seals.isAuthentic('wallet', wallet)).map(({ address }) => address);
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
    const wallet = this.seal({ id: newId(), address, userId, createdAt: at });
    const { linked, isChanged } = (await this.wallets.insertLink(tx, wallet))
      ? { linked: wallet, isChanged: true }
      : await this.linkAgain(tx, wallet);
    if (!isChanged) return linked;
    if ((await this.wallets.countLinkedWallets(tx, userId)) > WALLETS_PER_USER) {
      const message = `at most ${WALLETS_PER_USER} wallets can be linked`;
      throwError('VALIDATION_ERROR', [{ field: 'address', message }]);
    }
    const event = { name: 'security.wallet-linked', userId, at, wallet: address } as const;
    await this.domainEvents.emit<SecurityEvent>(tx, event);
    return linked;
  }

  /** The user of the wallet, if it is linked, not suspended, and the service has written its row. `address` is checksummed. */
  async findOwner(address: string, tx?: Tx): Promise<WalletOwner | undefined> {
    const wallet = await this.wallets.findLinkedWallet(address, tx);
    if (!wallet || wallet.suspendedAt !== null || !this.seals.isAuthentic('wallet', wallet)) return undefined;
    return { id: wallet.userId, walletId: wallet.id };
  }

  /**
   * Ends a link at the user's request. Throws WALLET_NOT_FOUND, and INVALID_STATE for the only wallet that can sign in (suspended
   * ones cannot) of a user whose e-mail address is not verified: the user could no longer sign in.
   */
  async unlinkOwn(
    { id: userId, email }: UserPrincipal,
    walletId: string,
    requireStepUp: StepUpCheck,
  ): Promise<UnlinkedWallet> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const user = await this.users.lockIfExists(tx, userId);
      if (user && !user.emailVerified && (await this.wallets.isOnlyUsable(tx, userId, walletId))) {
        const message =
          'This wallet is the only way to sign in to the account. Sign in by e-mail once, or link another wallet first.';
        throwError('INVALID_STATE', { status: 'linked', action: 'unlink', allowedFrom: [] }, { message });
      }
      const wallet = await this.unlink(tx, userId, walletId, { by: { email } });
      await requireStepUp(tx, { address: wallet.address });
      return wallet;
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
    const wallet = (await this.wallets.endLink(tx, userId, walletId, at)) ?? throwError('WALLET_NOT_FOUND');
    const { address } = wallet;
    await this.sessions.revokeSessionsOfWallet(tx, walletId);
    const event = { name: 'security.wallet-unlinked', userId, at, wallet: address } as const;
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
      const event = { name: 'security.wallet-suspended', userId, at, wallet: address } as const;
      await this.domainEvents.emit<SecurityEvent>(tx, event);
    }
    return addresses;
  }

  /**
   * For an address that is linked already. Ends the suspension of the user's own wallet; a wallet that is not suspended stays unchanged.
   * A forged row of a wallet that is not suspended would keep the wallet's owner out, so its link is ended.
   */
  private async linkAgain(tx: Tx, wallet: Wallet): Promise<{ linked: LinkedWallet; isChanged: boolean }> {
    const { address, userId, createdAt } = wallet;
    const stored = await this.wallets.findLinkedWallet(address, tx);
    if (stored?.suspendedAt === null && !this.seals.isAuthentic('wallet', stored)) {
      await this.wallets.endLink(tx, stored.userId, stored.id, createdAt);
      await this.wallets.insertLink(tx, wallet);
      return { linked: wallet, isChanged: true };
    }
    if (stored?.userId !== userId)
      throwError('FORBIDDEN', undefined, { message: 'This wallet is linked to another account.' });
    if (stored.suspendedAt === null) return { linked: stored, isChanged: false };
    const linked = this.seal({ id: stored.id, address, userId, createdAt });
    await this.wallets.endSuspension(tx, linked);
    return { linked, isChanged: true };
  }

  private seal(link: Pick<Wallet, 'id' | 'address' | 'userId' | 'createdAt'>): Wallet {
    const wallet = { ...link, suspendedAt: null, unlinkedAt: null };
    return { ...wallet, seal: this.seals.sealRow('wallet', wallet) };
  }
}
