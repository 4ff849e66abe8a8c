import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, entityOf, findRow, findRows } from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { all } from '../../../database/statements.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { countRows } from '../../../lists/count-rows.js';
import { markHours } from '../../../lists/total-marks.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { User, UserIdentity, UserStatusChange } from './entities/user.entity.js';
import { holdUntil, type AccountColumn } from './account-changes.repository.js';

/** SQL of a table: `platform_user` without the accounts of admins (DEC-106). */
export const USERS = '(select * from platform_user where not is_admin)';

/** SQL: whether the user of a row of `platform_user` owns money. Reads a table of the module ledger. */
const OWNS_MONEY = 'exists (select from ledger_account where owner_id = platform_user.id and balance <> 0)';

/** SQL: a column of a user, so that other modules need neither a statement nor a join for it. `userId` is SQL, too. */
export function userColumn(userId: string, column: 'created_at' | 'email' | 'language' | 'status'): string {
  return `(select ${column} from platform_user where id = ${userId})`;
}

/** SQL: `userColumn` as the column `language`. */
export function languageColumn(userId: string): string {
  return `${userColumn(userId, 'language')} as language`;
}

/** SQL after `from`: users with e-mail addresses of reserved domains, except admins, whose addresses are parameter 1. */
export const TEST_USERS = String.raw`platform_user where email ~ '@(example\.(com|org)|([^@.]+\.)+test)$' and email <> all($1)`;

const UPSERT_AT_SIGN_IN = prepared(
  `with stored as (
     insert into platform_user (id, email, full_name, created_at, updated_at, last_login_at, email_verified, is_admin, tier,
                                language)
     values ($1, $2, $3, $4, $4, $4, $5, $6, $7, coalesce($8::text, 'en'))
     on conflict on constraint platform_user_email do update
       set last_login_at = excluded.last_login_at,
           language = case when platform_user.last_login_at is null then coalesce($8::text, platform_user.language)
                           else platform_user.language end,
           full_name = coalesce(platform_user.full_name, excluded.full_name),
           email_verified = platform_user.email_verified or excluded.email_verified
     returning id, email
   )
   insert into user_account_change (user_id, email, tier, changed_at) select id, email, $7, $4 from stored where id = $1`,
);

export interface Profile {
  readonly user: User;
  /** The first linked wallet that is not suspended; null without one. */
  readonly walletAddress: string | null;
}

@Injectable()
export class UsersRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  findUser(id: string, manager: EntityManager = this.dataSource.manager): Promise<User | undefined> {
    return findRow(manager, User, 'where id = $1', [id]);
  }

  /** FOR NO KEY UPDATE: inserts that reference the user are not blocked. */
  lockUser(tx: Tx, id: string): Promise<User | null> {
    return tx.findOne(User, { where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** FOR UPDATE: waits for concurrent inserts that reference the user, and blocks further ones. */
  lockUserExclusively(tx: Tx, id: string): Promise<User | null> {
    return tx.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** FOR SHARE: blocks changes of the address. Undefined for an unknown user. */
  async lockEmail(tx: Tx, id: string): Promise<string | undefined> {
    const lock = { mode: 'pessimistic_read' } as const;
    return (await tx.findOne(User, { select: { email: true }, where: { id }, lock }))?.email;
  }

  /**
   * Inserts an account, or records the sign-in of the user with this e-mail address. A confirmed address stays confirmed,
   * because a sign-in by wallet confirms none. The first sign-in sets the language if it is given. `isAdmin` of an existing
   * account stays. Returns the account, undefined if its e-mail address is not the last one in `user_account_change`, which an
   * alert reports.
   */
  async upsertUserAtSignIn(
    tx: Tx,
    user: Pick<User, 'id' | 'email' | 'emailVerified' | 'fullName' | 'isAdmin' | 'tier'> & {
      readonly language?: string | undefined;
    },
    at: Date,
  ): Promise<User | undefined> {
    const { id, email, fullName, emailVerified, isAdmin, tier, language = null } = user;
    const [, [account]] = await all(
      tx.query(UPSERT_AT_SIGN_IN, [id, email, fullName, at, emailVerified, isAdmin, tier, language]),
      tx.query<{ id: string; isRecorded: boolean | null }[]>(
        prepared(`select ${entityColumns(this.dataSource, User, 'platform_user')},
                         email = (select email from user_account_change where user_id = platform_user.id
                                   order by id desc limit 1) as "isRecorded"
                    from platform_user where email = $1`),
        [email],
      ),
    );
    if (!account) throwError('USER_CREATION_ERROR');
    if (account.id === id && !isAdmin) markHours(tx, 'report', at); // the user is new
    // Null for an account without a record of changes.
    if (account.isRecorded !== false) return entityOf(this.dataSource, User, account);
    this.seals.reportRow('platform_user', account.id);
    return undefined;
  }

  /** Makes the account of a former admin a user's. The caller has locked its row. */
  async makeUser(tx: Tx, { id, createdAt }: User): Promise<void> {
    await this.updateUser(tx, id, { isAdmin: false });
    markHours(tx, 'report', createdAt);
  }

  /**
   * Marks the accounts with these e-mail addresses as admins' unless they own money, and removes the mark from all that own money. Where
   * `is_admin` equals OWNS_MONEY, the mark is wrong: a marked account owns no money, and an unmarked one of `emails` owns money.
   */
  async correctAdminMarks(tx: Tx, emails: readonly string[]): Promise<void> {
    const corrected = await tx.query<{ createdAt: Date }[]>(
      `with corrected as (
         update platform_user set is_admin = not is_admin
          where (is_admin or email = any($1)) and is_admin = ${OWNS_MONEY}
         returning created_at
       )
       select created_at as "createdAt" from corrected`,
      [emails],
    );
    markHours(tx, 'report', ...corrected.map(({ createdAt }) => createdAt));
  }

  /** The e-mail addresses, among `emails`, of accounts with a hold at `now`. */
  findHeldEmails(
    emails: readonly string[],
    now: Date,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<string[]> {
    return this.findEmails(manager, `${holdUntil('platform_user')} > $2`, [emails, now]);
  }

  /** The e-mail addresses, among `emails`, of users who own money. */
  findMoneyOwners(emails: readonly string[]): Promise<string[]> {
    return this.findEmails(this.dataSource.manager, OWNS_MONEY, [emails]);
  }

  private async findEmails(
    manager: EntityManager,
    condition: string,
    parameters: unknown[],
  ): Promise<string[]> {
    const users = await findRows(manager, User, `where email = any($1) and ${condition}`, parameters);
    return users.map(({ email }) => email);
  }

  hasEmail(tx: Tx, email: string): Promise<boolean> {
    return tx.existsBy(User, { email });
  }

  async insertUser(
    tx: Tx,
    user: Pick<User, 'id' | 'email' | 'status' | 'createdBy' | 'createdAt' | 'updatedAt' | 'tier'>,
  ): Promise<void> {
    await tx.insert(User, user);
    markHours(tx, 'report', user.createdAt);
  }

  async updateUser(tx: Tx, id: string, changes: Omit<Partial<User>, AccountColumn>): Promise<void> {
    await tx.update(User, id, changes);
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

  countTestUsers(tx: Tx, adminEmails: readonly string[]): Promise<number> {
    return countRows(tx, TEST_USERS, [adminEmails]);
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

  /** Returns whether the subject is new to the user, and the user's other subjects. */
  async insertIdentity(
    tx: Tx,
    { userId, subject, firstSeenAt }: UserIdentity,
  ): Promise<{ isNew: boolean; others: string[] }> {
    const [row] = await tx.query<[{ isNew: boolean; others: string[] }]>(
      prepared(
        `with added as (
           insert into user_identity (user_id, subject, first_seen_at) values ($1, $2, $3)
           on conflict do nothing returning subject
         )
         select exists (select from added) as "isNew",
                array(select subject from user_identity where user_id = $1 and subject <> $2) as others`,
      ),
      [userId, subject, firstSeenAt],
    );
    return row;
  }

  /** Keeps the `keptCount` identities with the latest `first_seen_at`, and deletes the others. */
  async deleteOldestIdentities(tx: Tx, userId: string, keptCount: number): Promise<void> {
    await tx.query(
      `delete from user_identity where user_id = $1 and subject not in
         (select subject from user_identity where user_id = $1 order by first_seen_at desc, subject limit $2)`,
      [userId, keptCount],
    );
  }

  async deleteIdentitiesOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(UserIdentity, { userId });
  }
}
