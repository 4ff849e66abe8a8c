import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { requireUnlocked } from './domain/account-restrictions.js';
import type { User } from './entities/user.entity.js';
import { LimitTiersService } from './limit-tiers.service.js';
import type { UserEvent } from './user.events.js';
import { AccountChangesRepository } from './account-changes.repository.js';
import { UsersRepository } from './users.repository.js';
import type { UserStatus } from './users.types.js';

/** Finds accounts of users, and creates them at the first sign-in. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly changes: AccountChangesRepository,
    private readonly clock: Clock,
    private readonly domainEvents: DomainEvents,
    private readonly tiers: LimitTiersService,
  ) {}

  /**
   * Records a sign-in and returns the account of the e-mail address. The first sign-in creates it; concurrent first sign-ins
   * create one. An admin's account becomes a user's when its owner signs in as a user. Throws FORBIDDEN if the account's e-mail
   * address was changed without the service.
   */
  async findOrCreateUser(
    tx: Tx,
    {
      name,
      ...signedIn
    }: Pick<User, 'email' | 'emailVerified' | 'isAdmin'> & {
      readonly name: string | null;
      /** Set at the first sign-in. */
      readonly language?: string | undefined;
    },
  ): Promise<User> {
    const user = { id: newId(), ...signedIn, fullName: name, tier: this.tiers.tierOfNewUsers };
    const at = this.clock.now();
    const account = (await this.users.upsertUserAtSignIn(tx, user, at)) ?? failNotActive();
    if (user.isAdmin) {
      if (!account.isAdmin) await this.users.correctAdminMarks(tx, [account.email]);
      return account;
    }
    if (account.isAdmin) await this.users.makeUser(tx, account);
    if (account.isAdmin || account.id === user.id) {
      const { id, status } = account;
      const event = { name: 'user.created', userId: id, at, status, createdBy: 'sign-in' } as const;
      await this.domainEvents.emit<UserEvent>(tx, event);
    }
    return account;
  }

  hasAccount(tx: Tx, email: string): Promise<boolean> {
    return this.users.hasEmail(tx, email);
  }

  /** Throws USER_NOT_FOUND. */
  async get(id: string, manager?: EntityManager): Promise<User> {
    return (await this.find(id, manager)) ?? throwError('USER_NOT_FOUND');
  }

  find(id: string, manager?: EntityManager): Promise<User | undefined> {
    return this.users.findUser(id, manager);
  }

  /** The e-mail addresses, among `emails`, of users who own money. */
  listMoneyOwners(emails: readonly string[]): Promise<string[]> {
    return this.users.findMoneyOwners(emails);
  }

  /**
   * Throws FORBIDDEN if the user is not active, and prevents a change of the status until the transaction ends. Needed in
   * transactions because the authorization of a request happens before its transaction begins. With `isUnlocked` also throws
   * ACCOUNT_LOCKED.
   */
  async requireActive(tx: Tx, id: string, { isUnlocked = false } = {}): Promise<void> {
    const account = await this.changes.lockAccount(tx, id);
    if (isUnlocked && account) requireUnlocked(account);
    requireActiveStatus(account?.status);
  }

  /** The user's e-mail address, which cannot change before the transaction ends; undefined for an unknown user. */
  lockEmail(tx: Tx, id: string): Promise<string | undefined> {
    return this.users.lockEmail(tx, id);
  }
}

/** Throws FORBIDDEN; `status` is undefined for an unknown user. */
export function requireActiveStatus(status: UserStatus | undefined): void {
  if (status !== 'active') failNotActive();
}

/** Throws FORBIDDEN for an account whose status is not active. */
export function failNotActive(): never {
  throwError('FORBIDDEN', undefined, { message: 'This account is not active.' });
}
