import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan, type EntityManager } from 'typeorm';
import { entityColumns, entityOf } from '../../database/entity-rows.js';
import { PREPARED, prepared } from '../../database/prepared.js';
import { markHours } from '../../lists/total-marks.js';
import { read } from '../../database/statements.js';
import type { Tx } from '../../database/unit-of-work.js';
import { UserStatusChange } from './entities/user-status-change.entity.js';
import { User } from './entities/user.entity.js';
import type { SecurityHold } from './users.types.js';

/** SQL after `from`: users with e-mail addresses of reserved domains, except admins, whose addresses are parameter 1. */
export const TEST_USERS = String.raw`platform_user where email ~ '@(example\.(com|org)|([^@.]+\.)+test)$' and email <> all($1)`;

/** What a lock of a user's row answers. */
export type LockedAccount = Pick<User, 'status' | 'holdUntil' | 'holdReason'>;

export interface Profile {
  readonly user: User;
  /** The first linked wallet that is not suspended. */
  readonly walletAddress: string | null;
}

@Injectable()
export class UsersRepository {
  constructor(private readonly dataSource: DataSource) {}

  findUser(id: string, manager: EntityManager = this.dataSource.manager): Promise<User | null> {
    return manager.findOne(User, { comment: PREPARED, where: { id } });
  }

  /** FOR NO KEY UPDATE: inserts that reference the user are not blocked. */
  lockUser(tx: Tx, id: string): Promise<User | null> {
    return tx.findOne(User, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** FOR UPDATE: waits for concurrent inserts that reference the user, and blocks further ones. */
  lockUserExclusively(tx: Tx, id: string): Promise<User | null> {
    return tx.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** FOR SHARE: blocks changes of the status and the hold. Undefined for an unknown user. */
  async lockAccount(tx: Tx, id: string): Promise<LockedAccount | undefined> {
    const [account] = await read<LockedAccount>(
      tx,
      `select status, hold_until as "holdUntil", hold_reason as "holdReason" from platform_user where id = $1 for share`,
      [id],
    );
    return account;
  }

  /** FOR SHARE: blocks changes of the address. Undefined for an unknown user. */
  async lockEmail(tx: Tx, id: string): Promise<string | undefined> {
    const [user] = await tx.query<{ email: string }[]>(
      'select email from platform_user where id = $1 for share',
      [id],
    );
    return user?.email;
  }

  /**
   * Inserts a user, or records the sign-in of the user with this e-mail address. A confirmed address stays confirmed,
   * because a sign-in by wallet confirms none. Returns the user's id.
   */
  async upsertUserAtSignIn(
    tx: Tx,
    user: Pick<User, 'id' | 'email' | 'emailVerified' | 'fullName'>,
    at: Date,
  ): Promise<string | undefined> {
    const [row] = await tx.query<{ id: string }[]>(
      `insert into platform_user (id, email, full_name, created_at, updated_at, last_login_at, email_verified)
       values ($1, $2, $3, $4, $4, $4, $5)
       on conflict on constraint platform_user_email do update
         set last_login_at = excluded.last_login_at,
             full_name = coalesce(platform_user.full_name, excluded.full_name),
             email_verified = platform_user.email_verified or excluded.email_verified
       returning id`,
      [user.id, user.email, user.fullName, at, user.emailVerified],
    );
    if (row?.id === user.id) markHours(tx, 'report', at); // the user is new
    return row?.id;
  }

  async findHeldEmails(
    emails: readonly string[],
    now: Date,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string[]> {
    const held = await manager.find(User, {
      select: { email: true },
      where: { email: In([...emails]), holdUntil: MoreThan(now) },
    });
    return held.map(({ email }) => email);
  }

  hasEmail(tx: Tx, email: string): Promise<boolean> {
    return tx.existsBy(User, { email });
  }

  async insertUser(
    tx: Tx,
    user: Pick<User, 'id' | 'email' | 'status' | 'createdBy' | 'createdAt' | 'updatedAt'>,
  ): Promise<void> {
    await tx.insert(User, user);
    markHours(tx, 'report', user.createdAt);
  }

  async updateUser(tx: Tx, id: string, changes: Partial<User>): Promise<void> {
    await tx.update(User, id, changes);
  }

  /** Keeps a hold that ends later. */
  async extendHold(tx: Tx, id: string, { until, reason }: SecurityHold): Promise<void> {
    await tx.query(
      `update platform_user set hold_until = $2, hold_reason = $3
        where id = $1 and (hold_until is null or hold_until < $2)`,
      [id, until, reason],
    );
  }

  async insertStatusChange(tx: Tx, change: Omit<UserStatusChange, 'id'>): Promise<void> {
    await tx.insert(UserStatusChange, change);
  }

  /** Fails if a record refers to the user by a foreign key without ON DELETE CASCADE. */
  async deleteUser(tx: Tx, id: string): Promise<void> {
    const user = await tx.findOneBy(User, { id });
    if (user) markHours(tx, 'report', user.createdAt);
    await tx.delete(User, id);
  }

  /** Locks up to `limit` test users that no other transaction has locked, and returns their ids. */
  async lockTestUsers(tx: Tx, adminEmails: readonly string[], limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `select id from ${TEST_USERS} order by id limit $2 for update skip locked`,
      [adminEmails, limit],
    );
    return rows.map(({ id }) => id);
  }

  async countTestUsers(tx: Tx, adminEmails: readonly string[]): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(`select count(*)::int as count from ${TEST_USERS}`, [
      adminEmails,
    ]);
    return row?.count ?? 0;
  }

  /** Null for an unknown user. Reads `wallet` of the module wallets by its function `first_wallet`. */
  async findProfile(
    userId: string,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Profile | null> {
    const [row] = await manager.query<{ walletAddress: string | null }[]>(
      prepared(`select ${entityColumns(this.dataSource, User, 'platform_user')}, first_wallet(id) as "walletAddress"
                  from platform_user where id = $1`),
      [userId],
    );
    return row ? { user: entityOf(this.dataSource, User, row), walletAddress: row.walletAddress } : null;
  }

  /** The first linked wallet that is not suspended. Reads `wallet` of the module wallets by its function `first_wallet`. */
  async findFirstWalletAddress(tx: Tx, userId: string): Promise<string | null> {
    const [row] = await tx.query<[{ address: string | null }]>('select first_wallet($1) as address', [
      userId,
    ]);
    return row.address;
  }
}
