import { Injectable } from '@nestjs/common';
import { violates } from '../../../common/errors/database-error.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { User } from './entities/user.entity.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { LimitTiersService } from './limit-tiers.service.js';
import { SecurityHoldsService } from './account-restrictions.service.js';
import { AccountChangesRepository } from './account-changes.repository.js';
import { UsersRepository } from './users.repository.js';
import type { SecurityHold, UserStatus, UserEvent } from './users.types.js';

interface NewAccount {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  readonly status: UserStatus;
  /** The admin's e-mail address. */
  readonly createdBy: string;
}

export interface StatusChange {
  readonly status: UserStatus;
  readonly reason: string | null;
  /** The admin's e-mail address. */
  readonly by: string;
}

/** Changes of accounts by admins, in the caller's transaction. */
@Injectable()
export class UserAccountsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly changes: AccountChangesRepository,
    private readonly holds: SecurityHoldsService,
    private readonly clock: Clock,
    private readonly domainEvents: DomainEvents,
    private readonly tiers: LimitTiersService,
  ) {}

  /** Locks the row of the user until the transaction ends. Throws USER_NOT_FOUND. */
  async lock(tx: Tx, id: string): Promise<User> {
    return (await this.lockIfExists(tx, id)) ?? throwError('USER_NOT_FOUND');
  }

  /** As `lock`; null for an unknown user. */
  lockIfExists(tx: Tx, id: string): Promise<User | null> {
    return this.users.lockUser(tx, id);
  }

  /** As `lock`, and no record that references the user can be inserted until the transaction ends. Throws USER_NOT_FOUND. */
  async lockExclusively(tx: Tx, id: string): Promise<User> {
    return (await this.users.lockUserExclusively(tx, id)) ?? throwError('USER_NOT_FOUND');
  }

  /** Throws VALIDATION_ERROR if the e-mail address or the id belongs to another user. */
  async create(tx: Tx, { id, email, status, createdBy }: NewAccount): Promise<void> {
    const now = this.clock.now();
    const tier = this.tiers.tierOfNewUsers;
    await this.users
      .insertUser(tx, { id, email, status, createdBy, createdAt: now, updatedAt: now, tier })
      .catch(failIfTaken);
    await this.changes.insertRecord(tx, id, { email, tier }, now);
    await this.recordStatus(tx, id, { status, reason: null, by: createdBy }, now);
    const event = { name: 'user.created', userId: id, at: now, status, createdBy: 'admin' } as const;
    await this.domainEvents.emit<UserEvent>(tx, event);
  }

  /** Throws VALIDATION_ERROR if a user has the e-mail address. */
  async requireUnusedEmail(tx: Tx, email: string): Promise<void> {
    if (await this.users.hasEmail(tx, email)) failTaken('email');
  }

  /**
   * The new address counts as unverified, since the identity provider has not confirmed it. Its owner has another account at
   * the provider, so the identities of the former address are forgotten. Starts a security hold, which it returns; null if
   * SECURITY_HOLD_HOURS is 0. Throws VALIDATION_ERROR if the address belongs to another user.
   */
  async changeEmail(tx: Tx, id: string, email: string): Promise<SecurityHold | null> {
    const at = this.clock.now();
    const change = { email, emailVerified: false, updatedAt: at };
    await this.changes.changeAccount(tx, id, change, at).catch(failIfTaken);
    await this.forgetIdentities(tx, id);
    return this.holds.startHold(tx, id, 'email-changed');
  }

  /** Lets the next sign-in count as the first one: after a change of the e-mail address, and for the erasure of a user. */
  async forgetIdentities(tx: Tx, id: string): Promise<void> {
    await this.users.deleteIdentitiesOfUser(tx, id);
  }

  /** Returns the time of the change. A trigger notifies every process, so that the status applies to issued tokens at once. */
  async changeStatus(tx: Tx, id: string, change: StatusChange): Promise<Date> {
    const now = this.clock.now();
    await this.users.updateUser(tx, id, { status: change.status, updatedAt: now });
    await this.recordStatus(tx, id, change, now);
    return now;
  }

  /** The caller has locked the user. */
  async changeTier(tx: Tx, id: string, tier: string): Promise<void> {
    const at = this.clock.now();
    await this.changes.changeAccount(tx, id, { tier, updatedAt: at }, at);
  }

  /** Deletes a user. Throws PostgreSQL's error if a record refers to the user by a foreign key without ON DELETE CASCADE. */
  async delete(tx: Tx, id: string): Promise<void> {
    await this.users.deleteUser(tx, id);
  }

  /** Removes name and e-mail address from an account that records of money refer to. */
  async anonymise(tx: Tx, id: string): Promise<void> {
    await this.changes.anonymise(tx, id, `erased-${id}@erased.invalid`, this.clock.now());
  }

  /** Marks the accounts with e-mail addresses of admins, so that they do not count as users (DEC-106), except accounts that own money. */
  correctAdminMarks(tx: Tx, adminEmails: readonly string[]): Promise<void> {
    return this.users.correctAdminMarks(tx, adminEmails);
  }

  /** Locks up to `limit` test users (`TEST_USERS`) that no other transaction has locked, and returns their ids. */
  lockTestUsers(tx: Tx, adminEmails: readonly string[], limit: number): Promise<string[]> {
    return this.users.lockTestUsers(tx, adminEmails, limit);
  }

  countTestUsers(tx: Tx, adminEmails: readonly string[]): Promise<number> {
    return this.users.countTestUsers(tx, adminEmails);
  }

  private async recordStatus(tx: Tx, userId: string, change: StatusChange, at: Date): Promise<void> {
    const { status, reason, by } = change;
    await this.users.insertStatusChange(tx, { userId, status, reason, changedAt: at, changedBy: by });
  }
}

function failIfTaken(error: unknown): never {
  if (violates(error, 'platform_user_email')) failTaken('email');
  if (violates(error, 'platform_user_pkey')) failTaken('id');
  throw error;
}

function failTaken(field: 'email' | 'id'): never {
  throwError('VALIDATION_ERROR', [{ field, message: "is another user's" }]);
}
