import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager, type Repository } from 'typeorm';
import { deleteBatch } from '../../../jobs/delete-batch.js';
import { insertIfNew } from '../../../database/entity-rows.js';
import { PREPARED } from '../../../database/prepared.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Seal } from '../../core/seals/credential-seals.service.js';
import { endSealsOf, findSealed, isSealEnded } from '../../core/seals/ended-seals.repository.js';
import { TEST_USERS } from '../users/users.repository.js';
import { WalletNonce } from './entities/wallet-nonce.entity.js';
import { Wallet } from './entities/wallet.entity.js';
import type { LinkedWallet, StoredWallet } from './wallets.types.js';

const EXPIRED_NONCES_AT_ONCE = 50;
const LINKED_COLUMNS = { id: true, address: true, createdAt: true, suspendedAt: true };

/** Wallets that are linked, suspended ones included. Joins `platform_user` of the module users. */
const SELECT_LINKED = `
  select wallet.id, address, user_id as "userId", wallet.created_at as "createdAt", suspended_at as "suspendedAt",
         unlinked_at as "unlinkedAt", seal, ${isSealEnded('wallet')}, platform_user.email
    from wallet join platform_user on platform_user.id = wallet.user_id where unlinked_at is null`;

/** SQL: whether an address, in any letter case, is or was a wallet of a user. The arguments are SQL, too. */
export function isWalletOf(userId: string, address: string): string {
  return `exists (select from wallet where wallet.user_id = ${userId} and lower(wallet.address) = lower(${address}))`;
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
    return tx.query(`${SELECT_LINKED} and user_id = $1 and suspended_at is null`, [userId]);
  }

  countLinkedWallets(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(Wallet, { userId, unlinkedAt: IsNull() });
  }

  async findLinkedWallet(
    address: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<StoredWallet | undefined> {
    const [wallet] = await manager.query<StoredWallet[]>(`${SELECT_LINKED} and lower(address) = lower($1)`, [
      address,
    ]);
    return wallet;
  }

  /** False, without a change, if the address is linked already. */
  insertLink(tx: Tx, wallet: Wallet): Promise<boolean> {
    return insertIfNew(tx, Wallet, wallet);
  }

  /** Ends a suspension. */
  async updateLink(tx: Tx, { id, createdAt, seal }: Wallet): Promise<void> {
    await tx.update(Wallet, id, { createdAt, suspendedAt: null, seal });
  }

  /** Ends a link and returns it; undefined if the user has no such link. */
  async endLink(
    tx: Tx,
    userId: string,
    walletId: string,
    unlinkedAt: Date,
  ): Promise<LinkedWallet | undefined> {
    const [rows] = await tx.query<[LinkedWallet[], number]>(
      `with former as (select id, seal, null::timestamptz as expires_at from wallet
                        where id = $1 and user_id = $2 and unlinked_at is null for no key update),
            ended as (${endSealsOf('former')})
       update wallet set unlinked_at = $3, seal = null from former where wallet.id = former.id
       returning wallet.id, address, created_at as "createdAt", suspended_at as "suspendedAt"`,
      [walletId, userId, unlinkedAt],
    );
    return rows[0];
  }

  /** Suspends all wallets of a user and returns the addresses of those that were not suspended before. */
  async suspendWallets(tx: Tx, userId: string, suspendedAt: Date): Promise<string[]> {
    const [rows] = await tx.query<[{ address: string }[], number]>(
      `with former as (select id, seal, null::timestamptz as expires_at from wallet
                        where user_id = $1 and unlinked_at is null and suspended_at is null for no key update),
            ended as (${endSealsOf('former')})
       update wallet set suspended_at = $2, seal = null from former where wallet.id = former.id returning address`,
      [userId, suspendedAt],
    );
    return rows.map(({ address }) => address).sort();
  }

  async deleteWalletsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Wallet, { userId });
  }

  /** True if, of the user's wallets, only this one can sign in, and the user's e-mail address is not verified. */
  async isOnlySignIn(tx: Tx, userId: string, walletId: string): Promise<boolean> {
    const [row] = await tx.query<{ isOnly: boolean }[]>(
      `select not email_verified
              and exists (select from wallet where id = $2 and user_id = $1 and unlinked_at is null and suspended_at is null)
              and not exists (select from wallet where id <> $2 and user_id = $1
                                 and unlinked_at is null and suspended_at is null) as "isOnly"
         from platform_user where id = $1`,
      [userId, walletId],
    );
    return row?.isOnly ?? false;
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

  async findNonce(nonce: string): Promise<(WalletNonce & Seal) | undefined> {
    const [stored] = await findSealed(this.dataSource.manager, WalletNonce, 'nonce = $1', [nonce]);
    return stored;
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
