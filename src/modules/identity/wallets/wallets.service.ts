import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { UserPrincipal } from '../../../http/auth/principal.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { Identity, SignInContext, SignedIn } from '../auth/auth.types.js';
import { SessionsService } from '../auth/sessions.service.js';
import { SignInService } from '../auth/sign-in.service.js';
import { ChainClient, type ChainBalances } from '../../providers/chain/chain.client.js';
import { failLocked, failSecurityHold } from '../users/domain/account-restrictions.js';
import { StepUps, type StepUpCheck } from '../../../http/auth/step-up.js';
import type { User } from '../users/entities/user.entity.js';
import { SecurityHoldsService, AccountLocksService } from '../users/account-restrictions.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { WalletChallengesService } from './wallet-challenges.service.js';
import { WalletLinksService } from './wallet-links.service.js';
import type { Challenge, LinkedWallet, LinkedWalletWithBalances, SignedMessage } from './wallets.types.js';

/** Signs users in with wallets, links wallets and reads their balances. E-mail addresses, not wallets, identify users. */
@Injectable()
export class WalletsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly challenges: WalletChallengesService,
    private readonly links: WalletLinksService,
    private readonly users: UserAccountsService,
    private readonly holds: SecurityHoldsService,
    private readonly locks: AccountLocksService,
    private readonly stepUps: StepUps,
    private readonly sessions: SessionsService,
    private readonly signIn: SignInService,
    private readonly admins: AdminDirectoryService,
    private readonly chain: ChainClient,
  ) {}

  /** A challenge to sign, and whether the wallet is linked to a user and not suspended. */
  async issueChallenge(
    address: string,
    origin?: string,
  ): Promise<{ challenge: Challenge; isRegistered: boolean }> {
    const challenge = await this.challenges.issueChallenge(address, origin);
    const owner = await this.links.findOwner(challenge.address);
    return { challenge, isRegistered: owner !== undefined };
  }

  /**
   * Links a wallet to the user; linking it again succeeds. Throws the errors of `verifySignature`, `link` and `StepUpCheck`, and
   * TOKEN_INVALID if the session was revoked after the authentication of the request.
   */
  async connect(
    { id: userId, sessionId }: Pick<UserPrincipal, 'id' | 'sessionId'>,
    { message, signature }: SignedMessage,
    requireStepUp: StepUpCheck,
  ): Promise<LinkedWallet> {
    const proof = await this.challenges.verifySignature(message, signature);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spendChallenge(tx, proof);
      await this.users.lockIfExists(tx, userId);
      // A change of the e-mail address may have revoked the session while this transaction waited for the user's row.
      await this.sessions.requireOpenSession(tx, sessionId);
      await requireStepUp(tx, { address: proof.address });
      return this.links.link(tx, userId, proof.address);
    });
  }

  /**
   * Signs in the owner of the wallet. Throws the errors of `verifySignature`, USER_NOT_FOUND for a wallet that is not linked or
   * is suspended, and FORBIDDEN for an admin or a user who is not active.
   */
  async login({ message, signature }: SignedMessage, context: SignInContext): Promise<SignedIn> {
    const proof = await this.challenges.verifySignature(message, signature);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spendChallenge(tx, proof);
      const owner = await this.lockOwner(tx, proof.address);
      if (!owner)
        return throwError('USER_NOT_FOUND', undefined, {
          message: 'No account is linked to this wallet. Register it first.',
        });
      this.refuseAdmin(owner.email);
      return this.signIn.signInByWallet(tx, owner, context);
    });
  }

  /** Locks the user's row, as changes of links do. The wallet may move to another user until its owner is locked. */
  private async lockOwner(tx: Tx, address: string) {
    let owner = await this.links.findOwner(address, tx);
    let user: User | undefined;
    while (owner && owner.id !== user?.id) {
      user = await this.users.lock(tx, owner.id);
      owner = await this.links.findOwner(address, tx);
    }
    return owner && user && { email: user.email, walletId: owner.walletId };
  }

  /**
   * Signs in the person of a verified identity and links the wallet. Throws the errors of `verifySignature` and `link`, and
   * FORBIDDEN for an admin or a user who is not active. Throws STEP_UP_REQUIRED for another wallet of a user who has a second
   * factor, who has to connect it in a session. Throws ACCOUNT_LOCKED and SECURITY_HOLD, and opens no session, while
   * the account is locked and during a hold, which this sign-in may have started.
   */
  async register(
    identity: Identity,
    { message, signature }: SignedMessage,
    context: SignInContext,
  ): Promise<SignedIn> {
    this.refuseAdmin(identity.email);
    const proof = await this.challenges.verifySignature(message, signature);
    const signedInOrFail = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spendChallenge(tx, proof);
      const { id } = (await this.signIn.identifyUser(tx, identity)).user;
      const user = (await this.users.lockIfExists(tx, id)) ?? throwError('USER_NOT_FOUND');
      const lock = await this.locks.findLock(id, tx);
      if (lock) return () => failLocked(lock);
      const hold = await this.holds.findHold(id, tx);
      if (hold) return () => failSecurityHold(hold);
      const owner = await this.links.findOwner(proof.address, tx);
      if (owner?.id !== id) await this.stepUps.requireNoFactors(tx, id, 'wallet.connect');
      const signedIn = await this.signIn.openUserSession(tx, user, context);
      await this.links.link(tx, id, proof.address);
      return signedIn;
    });
    // Fails after the commit, so that a hold that this sign-in has started stays.
    return typeof signedInOrFail === 'function' ? signedInOrFail() : signedInOrFail;
  }

  /** The user's wallets with their balances on the chain. Throws BLOCKCHAIN_ERROR. */
  async listBalances(userId: string): Promise<LinkedWalletWithBalances[]> {
    const wallets = await this.links.listLinkedWallets(userId);
    const balances = await this.chain.balances(wallets.map(({ address }) => address));
    return wallets.map((wallet, index) => ({ ...wallet, ...(balances[index] as ChainBalances) }));
  }

  /** The key of a wallet is too weak a proof for the permissions of an admin. */
  private refuseAdmin(email: string): void {
    if (!this.admins.findAdminByEmail(email)) return;
    throwError('FORBIDDEN', undefined, {
      message: 'Admins sign in with the identity provider or with their password.',
    });
  }
}
