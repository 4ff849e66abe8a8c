import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager, type Repository } from 'typeorm';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import { insertIfNew } from '../../../database/entity-rows.js';
import { PREPARED } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSealsOf, findOneSealed, findSealed, isSealEnded } from '../../core/seals/seals.repository.js';
import { TEST_USERS } from '../users/users.repository.js';
import { Wallet, WalletNonce } from './entities/wallet.entity.js';
import type { LinkedWallet } from './wallets.types.js';

const EXPIRED_NONCES_AT_ONCE = 50;
const LINKED_COLUMNS = { id: true, address: true, createdAt: true, suspendedAt: true };

type StoredWallet = Wallet & Seal;

/** SQL: whether an address, in any letter case, is or was a wallet of a user. The arguments are SQL, too. */
export function isWalletOf(userId: string, address: string): string {
  return `exists (select from wallet where wallet.user_id = ${userId} and lower(wallet.address) = lower(${address}))`;
}

/** SQL: the ids of the users with a wallet, even one that was unlinked, whose address matches a pattern of LIKE, which is SQL, too. */
export function ownersOfWallets(pattern: string): string {
  return `select user_id from wallet where address ilike ${pattern}`;
}

@Injectable()
export class WalletsRepository {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Wallet) private readonly wallets: Repository<Wallet>,
  ) {}

  findLinkedWallets(userId: string): Promise<LinkedWallet[]> {
    return this.wallets.find({
      comment: PREPARED,
      select: LINKED_COLUMNS,
      where: { userId, unlinkedAt: IsNull() },
      order: { createdAt: 'asc', address: 'asc' },
    });
  }

  /** The user's wallets that are linked and not suspended. */
  findUsableWallets(tx: Tx, userId: string): Promise<StoredWallet[]> {
    const usable = 'user_id = $1 and unlinked_at is null and suspended_at is null';
    return findSealed(tx, Wallet, usable, [userId]);
  }

  countLinkedWallets(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(Wallet, { userId, unlinkedAt: IsNull() });
  }

  /** The wallet of an address that is linked, also if it is suspended. */
  findLinkedWallet(
    address: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredWallet | undefined> {
    const linked = 'unlinked_at is null and lower(address) = lower($1)';
    return findOneSealed(manager, Wallet, linked, [address]);
  }

  /** False, without a change, if the address is linked already. */
  insertLink(tx: Tx, wallet: Wallet): Promise<boolean> {
    return insertIfNew(tx, Wallet, wallet);
  }

  /** Ends the suspension of a wallet; `createdAt` is the time at which it is linked again. */
  async endSuspension(tx: Tx, { id, createdAt, seal }: Wallet): Promise<void> {
    await tx.update(Wallet, id, { createdAt, suspendedAt: null, seal });
  }

  /** Ends a link and returns it; undefined if the user has no such link. */
  async endLink(
    tx: Tx,
    userId: string,
    walletId: string,
    unlinkedAt: Date,
  ): Promise<LinkedWallet | undefined> {
    const linked = 'id = $2 and user_id = $3 and unlinked_at is null';
    const [ended] = await this.deactivate(tx, 'unlinked_at', linked, [unlinkedAt, walletId, userId]);
    return ended;
  }

  /** Suspends all wallets of a user and returns the addresses of those that were not suspended before. */
  async suspendWallets(tx: Tx, userId: string, suspendedAt: Date): Promise<string[]> {
    const usable = 'user_id = $2 and unlinked_at is null and suspended_at is null';
    const suspended = await this.deactivate(tx, 'suspended_at', usable, [suspendedAt, userId]);
    return suspended.map(({ address }) => address).sort();
  }

  /** Sets the time `$1` in the wallets that a condition selects, and ends their seals: they cannot sign in any more. */
  private async deactivate(
    tx: Tx,
    column: 'unlinked_at' | 'suspended_at',
    condition: string,
    parameters: readonly unknown[],
  ): Promise<LinkedWallet[]> {
    const [rows] = await tx.query<[LinkedWallet[], number]>(
      `with former as (select id, seal, null::timestamptz as expires_at from wallet where ${condition} for no key update),
            ended as (${endSealsOf('former')})
       update wallet set ${column} = $1, seal = null from former where wallet.id = former.id
       returning wallet.id, address, created_at as "createdAt", suspended_at as "suspendedAt"`,
      [...parameters],
    );
    return rows;
  }

  async deleteWalletsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Wallet, { userId });
  }

  /** True if this is the only wallet of the user that is linked and not suspended. */
  async isOnlyUsable(tx: Tx, userId: string, walletId: string): Promise<boolean> {
    const usable = await tx.find(Wallet, {
      select: { id: true },
      where: { userId, unlinkedAt: IsNull(), suspendedAt: IsNull() },
    });
    return usable.length === 1 && usable[0]?.id === walletId;
  }

  /** Inserts a nonce and, in the same statement, deletes some expired ones, which bounds their number. */
  async insertNonce({ nonce, address, expiresAt, seal }: WalletNonce, now: Date): Promise<void> {
    await this.dataSource.query(
      `with expired as (
         delete from wallet_nonce where nonce in (
           select nonce from wallet_nonce where expires_at <= $4 limit ${EXPIRED_NONCES_AT_ONCE}
              for update skip locked))
       insert into wallet_nonce (nonce, address, expires_at, seal) values ($1, $2, $3, $5)`,
      [nonce, address, expiresAt, now, seal],
    );
  }

  /** Deletes a batch of nonces for wallets of test users that expired at `until` or earlier, and returns their number. */
  deleteExpiredNoncesOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    const condition = `expires_at <= $2 and address in (
      select address from wallet where user_id in (select id from ${TEST_USERS}))`;
    return deleteBatch(tx, { table: 'wallet_nonce', condition, parameters: [adminEmails, until] });
  }

  findNonce(nonce: string): Promise<(WalletNonce & Seal) | undefined> {
    return findOneSealed(this.dataSource.manager, WalletNonce, 'nonce = $1', [nonce]);
  }

  /**
   * Deletes a nonce and ends its seal, so that a copy of its row opens nothing. Undefined if there is no such nonce. Of concurrent
   * deletions of a nonce exactly one returns it.
   */
  async deleteNonce(tx: Tx, nonce: string): Promise<(WalletNonce & Seal) | undefined> {
    const [used] = await tx.query<(WalletNonce & Seal)[]>(
      `with used as (delete from wallet_nonce where nonce = $1 returning nonce, address, expires_at, seal),
            ended as (${endSealsOf('used')})
       select nonce, address, expires_at as "expiresAt", seal, ${isSealEnded('used')} from used`,
      [nonce],
    );
    return used;
  }
}
