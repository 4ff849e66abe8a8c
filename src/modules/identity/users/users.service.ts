import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { DomainEvents } from '../../../events/domain-events.js';
import { failNotActive, requireActiveStatus, requireUnlocked } from './domain/account-restrictions.js';
import type { User } from './entities/user.entity.js';
import { LimitTiersService } from './limit-tiers.service.js';
import { AccountChangesRepository } from './account-changes.repository.js';
import { SecurityHoldsService } from './account-restrictions.service.js';
import { UsersRepository } from './users.repository.js';
import type { SecurityEvent, UserEvent } from './users.types.js';

const IDENTITIES_PER_USER = 50;
/** Stored for tokens without the claim `sub`. */
const NO_SUBJECT = '';

/** Finds accounts of users, creates them at the first sign-in, and records the identities of sign-ins. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly changes: AccountChangesRepository,
    private readonly clock: Clock,
    private readonly domainEvents: DomainEvents,
    private readonly tiers: LimitTiersService,
    private readonly holds: SecurityHoldsService,
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

  /**
   * Records the subject (claim `sub`) of a sign-in by the identity provider. The e-mail address identifies the account; another subject
   * with the same address may be another person. If the account has had other subjects and never this one, starts a hold, emits an event
   * and returns true. The caller has locked the user's row, so that concurrent sign-ins with one new subject start one hold.
   */
  async recordIdentity(tx: Tx, userId: string, subject: string | null): Promise<boolean> {
    const at = this.clock.now();
    const identity = { userId, subject: subject ?? NO_SUBJECT, firstSeenAt: at };
    const { isNew, others } = await this.users.insertIdentity(tx, identity);
    // If all earlier sign-ins had no subject, the provider has begun to state it: that is no other identity.
    if (!isNew || !others.some((other) => other !== NO_SUBJECT)) return false;
    if (others.length >= IDENTITIES_PER_USER)
      await this.users.deleteOldestIdentities(tx, userId, IDENTITIES_PER_USER);
    const hold = await this.holds.startHold(tx, userId, 'new-identity');
    await this.domainEvents.emit<SecurityEvent>(tx, {
      name: 'security.new-identity',
      userId,
      at,
      holdUntil: hold?.until ?? null,
    });
    return true;
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
   * ACCOUNT_LOCKED if the account is locked.
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
