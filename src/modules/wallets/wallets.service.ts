import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { UserPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import type { Identity } from '../auth/identity-provider.client.js';
import { SignInService, type SignedIn } from '../auth/sign-in.service.js';
import { ChainClient, type ChainBalances } from '../blockchain/chain.client.js';
import { WalletChallengesService, type Challenge } from './wallet-challenges.service.js';
import { WalletLinksService, type Wallet } from './wallet-links.service.js';

interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** Links between wallets and users, and signing in by them. The e-mail stays the only identifier of a person. */
@Injectable()
export class WalletsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly dataSource: DataSource,
    private readonly challenges: WalletChallengesService,
    private readonly signIn: SignInService,
    private readonly admins: AdminDirectoryService,
    private readonly chain: ChainClient,
    private readonly links: WalletLinksService,
  ) {}

  /** A challenge to sign, and whether the wallet could sign in with it. */
  async check(address: string): Promise<{ challenge: Challenge; registered: boolean }> {
    const challenge = await this.challenges.issue(address);
    const [owner] = await this.dataSource.query<unknown[]>(OWNER, [challenge.address]);
    return { challenge, registered: owner !== undefined };
  }

  /**
   * Links a wallet to a user; again is no fault. Throws as `prove`, FORBIDDEN when it is linked to somebody else,
   * TOKEN_INVALID when the session has ended since the request was let in.
   */
  async connect(
    { id: userId, sessionId }: Pick<UserPrincipal, 'id' | 'sessionId'>,
    { message, signature }: SignedMessage,
  ): Promise<Wallet> {
    const proof = await this.challenges.prove(message, signature);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spend(tx, proof);
      await this.links.lockUser(tx, userId);
      await this.requireSession(tx, sessionId);
      return this.links.link(tx, userId, proof.address);
    });
  }

  /** Signs in whoever the wallet is linked to. Throws as `prove`, USER_NOT_FOUND when it is nobody's, FORBIDDEN. */
  async login({ message, signature }: SignedMessage, userAgent?: string): Promise<SignedIn> {
    const proof = await this.challenges.prove(message, signature);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spend(tx, proof);
      // Ends of links lock the user's row, too: the second look sees those that were committed before this lock.
      const [found] = await tx.query<{ id: string }[]>(OWNER, [proof.address]);
      if (found) await this.links.lockUser(tx, found.id);
      const [owner] = await tx.query<{ email: string; walletId: string }[]>(OWNER, [proof.address]);
      if (!owner)
        return fail('USER_NOT_FOUND', undefined, {
          message: 'No account is linked to this wallet. Register it first.',
        });
      this.requireNoAdmin(owner.email);
      const identity = { email: owner.email, emailVerified: false, name: null }; // a wallet says nothing of it
      return this.signIn.asUser(tx, identity, userAgent, owner.walletId);
    });
  }

  /** Signs in by the identity provider's JWT and links the wallet. Throws as `prove`, FORBIDDEN. */
  async register(
    identity: Identity,
    { message, signature }: SignedMessage,
    userAgent?: string,
  ): Promise<SignedIn> {
    this.requireNoAdmin(identity.email);
    const proof = await this.challenges.prove(message, signature);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.challenges.spend(tx, proof);
      const signedIn = await this.signIn.asUser(tx, identity, userAgent);
      await this.links.lockUser(tx, signedIn.user.id);
      await this.links.link(tx, signedIn.user.id, proof.address);
      return signedIn;
    });
  }

  /** With what they hold on chain. Throws BLOCKCHAIN_ERROR. */
  async balancesOf(userId: string): Promise<(Wallet & ChainBalances)[]> {
    const wallets = await this.links.of(userId);
    const held = await this.chain.balances(wallets.map(({ address }) => address));
    return wallets.map((wallet, place) => ({ ...wallet, ...(held[place] as ChainBalances) }));
  }

  /** A session may have been ended while the request waited for the user's row, as by another e-mail address. */
  private async requireSession(tx: Tx, id: string): Promise<void> {
    const rows = await tx.query<unknown[]>('select 1 from session where id = $1 and revoked_at is null', [
      id,
    ]);
    if (rows.length === 0) fail('TOKEN_INVALID');
  }

  /** What an admin may do is worth more than a wallet's key: they sign in as the configuration says. */
  private requireNoAdmin(email: string): void {
    if (!this.admins.byEmail(email)) return;
    fail('FORBIDDEN', undefined, {
      message: 'Admins sign in with the identity provider or with their password.',
    });
  }
}

const OWNER = `select platform_user.id, platform_user.email, wallet.id as "walletId"
                 from wallet join platform_user on platform_user.id = wallet.user_id
                where wallet.address = $1 and unlinked_at is null and suspended_at is null`;
