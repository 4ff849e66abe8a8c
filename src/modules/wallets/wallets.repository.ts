import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, IsNull, type EntityManager, type Repository, MoreThan } from 'typeorm';
import { deleteBatch } from '../../jobs/delete-batch.js';
import { PREPARED } from '../../database/prepared.js';
import type { Tx } from '../../database/unit-of-work.js';
import { TEST_USERS } from '../users/users.repository.js';
import { WalletNonce } from './entities/wallet-nonce.entity.js';
import { Wallet } from './entities/wallet.entity.js';
import type { LinkedWallet, Proof, WalletOwner } from './wallets.types.js';

const EXPIRED_NONCES_AT_ONCE = 50;
const LINKED_COLUMNS = { id: true, address: true, createdAt: true, suspendedAt: true };

/** The owner of the wallet with the address in parameter 1, if it can sign in. Joins `platform_user` of the module users. */
const SELECT_OWNER = `
  select platform_user.id, platform_user.email, wallet.id as "walletId"
    from wallet join platform_user on platform_user.id = wallet.user_id
   where wallet.address = $1 and unlinked_at is null and suspended_at is null`;

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

  findLinkedWallet(tx: Tx, userId: string, address: string): Promise<LinkedWallet | null> {
    return tx.findOne(Wallet, { select: LINKED_COLUMNS, where: { address, userId, unlinkedAt: IsNull() } });
  }

  /** Addresses of the user's wallets that are linked and not suspended. */
  async findUsableAddresses(tx: Tx, userId: string): Promise<string[]> {
    const rows = await tx.query<{ address: string }[]>(
      'select address from wallet where user_id = $1 and unlinked_at is null and suspended_at is null',
      [userId],
    );
    return rows.map(({ address }) => address);
  }

  countLinkedWallets(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(Wallet, { userId, unlinkedAt: IsNull() });
  }

  /** Undefined unless the wallet is linked and not suspended. */
  async findOwner(
    address: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<WalletOwner | undefined> {
    const [owner] = await manager.query<WalletOwner[]>(SELECT_OWNER, [address]);
    return owner;
  }

  /** Links a wallet, or ends its suspension. Undefined if another user has it, or this user has it without a suspension. */
  async insertLink(
    tx: Tx,
    userId: string,
    address: string,
    linkedAt: Date,
  ): Promise<LinkedWallet | undefined> {
    const [wallet] = await tx.query<LinkedWallet[]>(
      `insert into wallet (address, user_id, created_at) values ($1, $2, $3)
       on conflict (lower(address)) where unlinked_at is null do update
         set created_at = excluded.created_at, suspended_at = null
         where wallet.user_id = excluded.user_id and wallet.suspended_at is not null
       returning id, address, created_at as "createdAt", suspended_at as "suspendedAt"`,
      [address, userId, linkedAt],
    );
    return wallet;
  }

  /** Ends a link and returns it; undefined if the user has no such link. */
  async endLink(
    tx: Tx,
    userId: string,
    walletId: string,
    unlinkedAt: Date,
  ): Promise<LinkedWallet | undefined> {
    const [rows] = await tx.query<[LinkedWallet[], number]>(
      `update wallet set unlinked_at = $3 where id = $1 and user_id = $2 and unlinked_at is null
       returning id, address, created_at as "createdAt", suspended_at as "suspendedAt"`,
      [walletId, userId, unlinkedAt],
    );
    return rows[0];
  }

  /** Suspends all wallets of a user and returns the addresses of those that were not suspended before. */
  async suspendWallets(tx: Tx, userId: string, suspendedAt: Date): Promise<string[]> {
    const [rows] = await tx.query<[{ address: string }[], number]>(
      `update wallet set suspended_at = $2 where user_id = $1 and unlinked_at is null and suspended_at is null
       returning address`,
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
  async insertNonce({ nonce, address, expiresAt }: WalletNonce, now: Date): Promise<void> {
    await this.dataSource.query(
      `with expired as (
         delete from wallet_nonce where nonce in (
           select nonce from wallet_nonce where expires_at <= $4 limit ${EXPIRED_NONCES_AT_ONCE}
              for update skip locked))
       insert into wallet_nonce (nonce, address, expires_at) values ($1, $2, $3)`,
      [nonce, address, expiresAt, now],
    );
  }

  /** Deletes a batch of nonces for wallets of test users that expired at `until` or earlier, and returns their number. */
  deleteExpiredNoncesOfTestUsers(tx: Tx, adminEmails: readonly string[], until: Date): Promise<number> {
    const condition = `expires_at <= $2 and address in (
      select address from wallet where user_id in (select id from ${TEST_USERS}))`;
    return deleteBatch(tx, { table: 'wallet_nonce', condition, parameters: [adminEmails, until] });
  }

  hasValidNonce({ nonce, address }: Proof, now: Date): Promise<boolean> {
    return this.dataSource.manager.existsBy(WalletNonce, { nonce, address, expiresAt: MoreThan(now) });
  }

  /** False if the address has no such nonce that is valid. Of concurrent deletions of a nonce exactly one returns true. */
  async deleteValidNonce(tx: Tx, { nonce, address }: Proof, now: Date): Promise<boolean> {
    const { affected } = await tx.delete(WalletNonce, { nonce, address, expiresAt: MoreThan(now) });
    return affected === 1;
  }
}
