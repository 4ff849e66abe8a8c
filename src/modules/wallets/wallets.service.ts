import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Facts } from '../../database/facts.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/domain-error.js';
import { AdminDirectory } from '../admins/admin-directory.js';
import { SignIn, type SignedIn } from '../auth/sign-in.service.js';
import { Chain, type ChainBalances } from '../blockchain/chain.js';
import type { SecurityFact } from '../users/security.facts.js';
import { checksummed, WalletChallenges, type Challenge } from './wallet-challenges.js';

interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** A wallet that signs a user in. */
export interface Wallet {
  /** Checksummed. */
  readonly address: string;
  readonly createdAt: Date;
}

/** Wallets of one user. Each is looked up on chain when their balances are asked for. */
const MAXIMUM_PER_USER = 10;

/** Links between wallets and users, and signing in by them (D17). The e-mail stays the only identifier of a person. */
@Injectable()
export class Wallets {
  constructor(
    private readonly uow: UnitOfWork,
    private readonly dataSource: DataSource,
    private readonly challenges: WalletChallenges,
    private readonly signIn: SignIn,
    private readonly admins: AdminDirectory,
    private readonly chain: Chain,
    private readonly facts: Facts,
    private readonly clock: Clock,
  ) {}

  /** A challenge to sign, and whether the wallet could sign in with it. */
  async check(address: string): Promise<{ challenge: Challenge; registered: boolean }> {
    const challenge = await this.challenges.issue(address);
    const [owner] = await this.dataSource.query<unknown[]>(OWNER, [challenge.address]);
    return { challenge, registered: owner !== undefined };
  }

  /** Links a wallet to a user; again is no fault. Throws as `prove`, FORBIDDEN when it is linked to somebody else. */
  async connect(userId: string, { message, signature }: SignedMessage): Promise<Wallet> {
    const proof = await this.challenges.prove(message, signature);
    return this.uow.run(async (tx) => {
      await this.challenges.spend(tx, proof);
      return this.link(tx, userId, proof.address);
    });
  }

  /** Signs in whoever the wallet is linked to. Throws as `prove`, USER_NOT_FOUND when it is nobody's, FORBIDDEN. */
  async login({ message, signature }: SignedMessage, userAgent?: string): Promise<SignedIn> {
    const proof = await this.challenges.prove(message, signature);
    return this.uow.run(async (tx) => {
      await this.challenges.spend(tx, proof);
      const [owner] = await tx.query<{ email: string }[]>(OWNER, [proof.address]);
      if (!owner)
        return fail('USER_NOT_FOUND', undefined, {
          message: 'No account is linked to this wallet. Register it first.',
        });
      this.requireNoAdmin(owner.email);
      const identity = { email: owner.email, emailVerified: false, name: null }; // a wallet says nothing of it
      return this.signIn.asUser(tx, identity, userAgent);
    });
  }

  /** Signs in by the identity provider's JWT and links the wallet. Throws as `SignIn.identify`, `prove`, FORBIDDEN. */
  async register(
    authorization: string | undefined,
    { message, signature }: SignedMessage,
    userAgent?: string,
  ): Promise<SignedIn> {
    const identity = await this.signIn.identify(authorization);
    this.requireNoAdmin(identity.email);
    const proof = await this.challenges.prove(message, signature);
    return this.uow.run(async (tx) => {
      await this.challenges.spend(tx, proof);
      const signedIn = await this.signIn.asUser(tx, identity, userAgent);
      await this.link(tx, signedIn.user.id, proof.address);
      return signedIn;
    });
  }

  /** Links a wallet to a user on an admin's word, without a signature. Throws FORBIDDEN when it is somebody else's. */
  async linkByAdmin(tx: Tx, userId: string, address: string): Promise<void> {
    await this.link(tx, userId, checksummed(address));
  }

  /** A user's wallets, the first linked one first. At most ten. */
  async of(userId: string): Promise<Wallet[]> {
    return this.dataSource.query<Wallet[]>(
      `select address, created_at as "createdAt" from wallet where user_id = $1 order by created_at, address`,
      [userId],
    );
  }

  /** With what they hold on chain. Throws BLOCKCHAIN_ERROR. */
  async balancesOf(userId: string): Promise<(Wallet & ChainBalances)[]> {
    const wallets = await this.of(userId);
    const held = await this.chain.balances(wallets.map(({ address }) => address));
    return wallets.map((wallet, place) => ({ ...wallet, ...(held[place] as ChainBalances) }));
  }

  private async link(tx: Tx, userId: string, address: string): Promise<Wallet> {
    await tx.query('select 1 from platform_user where id = $1 for no key update', [userId]);
    const at = this.clock.now();
    const made = await tx.query<unknown[]>(
      `insert into wallet (address, user_id, created_at) values ($1, $2, $3)
       on conflict (address) do nothing returning address`,
      [address, userId, at],
    );
    if (made.length === 0) return this.linkedBefore(tx, userId, address);
    const [{ count }] = (await tx.query('select count(*)::int as count from wallet where user_id = $1', [
      userId,
    ])) as [{ count: number }];
    if (count > MAXIMUM_PER_USER) {
      fail('VALIDATION_ERROR', [
        { field: 'address', message: `at most ${MAXIMUM_PER_USER} wallets can be linked` },
      ]);
    }
    const detail = `The wallet ${address} can sign in to your account now.`;
    await this.facts.tell<SecurityFact>(tx, { name: 'security.wallet-linked', userId, at, detail });
    return { address, createdAt: at };
  }

  private async linkedBefore(tx: Tx, userId: string, address: string): Promise<Wallet> {
    const [wallet] = await tx.query<Wallet[]>(
      'select address, created_at as "createdAt" from wallet where address = $1 and user_id = $2',
      [address, userId],
    );
    return wallet ?? fail('FORBIDDEN', undefined, { message: 'This wallet is linked to another account.' });
  }

  /** What an admin may do is worth more than a wallet's key: they sign in as the configuration says (D14). */
  private requireNoAdmin(email: string): void {
    if (!this.admins.byEmail(email)) return;
    fail('FORBIDDEN', undefined, {
      message: 'Admins sign in with the identity provider or with their password.',
    });
  }
}

const OWNER = `select platform_user.email from wallet join platform_user on platform_user.id = wallet.user_id
                where wallet.address = $1`;
