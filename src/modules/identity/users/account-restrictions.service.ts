import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock, realNow } from '../../../common/clock.js';
import { DAY_MS, HOUR_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { AccountChangesRepository, type LockedAccount } from './account-changes.repository.js';
import {
  currentHold,
  currentLock,
  failSecurityHold,
  LOCK_LINK_DAYS,
  requireActiveStatus,
  requireUnlocked,
  UserFactors,
  WITHOUT_LOCK,
  type HoldColumns,
} from './domain/account-restrictions.js';
import { UsersRepository } from './users.repository.js';
import type { AccountLock, HoldReason, LockOrigin, SecurityHold, Unlocker } from './users.types.js';

/**
 * Holds of accounts after an event that a thief may have caused. A hold refuses withdrawals, new addresses in the address
 * book, API keys that write and links to wallets, in all sessions and by all keys. Everything else continues.
 */
@Injectable()
export class SecurityHoldsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly changes: AccountChangesRepository,
    private readonly clock: Clock,
    private readonly config: AppConfig,
  ) {}

  /**
   * Starts a hold of SECURITY_HOLD_HOURS, or extends a current hold that ends earlier; never shortens a hold. Returns the current hold;
   * null if the setting is 0 and the account has no hold.
   */
  async startHold(tx: Tx, userId: string, reason: HoldReason): Promise<SecurityHold | null> {
    const hours = this.config.SECURITY_HOLD_HOURS;
    const now = this.clock.now();
    const current = await this.findHold(userId, tx);
    const until = new Date(now.getTime() + hours * HOUR_MS);
    if (hours === 0 || (current && current.until >= until)) return current;
    await this.changes.changeAccount(tx, userId, { holdUntil: until, holdReason: reason }, now);
    return { until, reason };
  }

  /** Returns the hold that it has ended; null, without a change, if there is none. */
  async endHold(tx: Tx, userId: string): Promise<SecurityHold | null> {
    await this.users.lockUser(tx, userId);
    const hold = await this.findHold(userId, tx);
    if (hold)
      await this.changes.changeAccount(tx, userId, { holdUntil: null, holdReason: null }, this.clock.now());
    return hold;
  }

  /** Null if the account has no hold now, and for an unknown user. */
  async findHold(userId: string, manager?: EntityManager): Promise<SecurityHold | null> {
    const account = await this.changes.findHoldColumns(userId, manager);
    return account ? this.holdOf(account) : null;
  }

  /** The e-mail addresses, among `emails`, of accounts that have a hold now. */
  listHeldEmails(emails: readonly string[], manager?: EntityManager): Promise<string[]> {
    return this.users.findHeldEmails(emails, this.clock.now(), manager);
  }

  /** The hold of an account that was read before; null if there is none now. */
  holdOf(account: HoldColumns): SecurityHold | null {
    return currentHold(account, this.clock.now());
  }

  /** Throws FORBIDDEN if there is no account or it is not active, and SECURITY_HOLD during a hold. The caller has locked the row of the user. */
  requireUnheld(account: LockedAccount | undefined): void {
    requireActiveStatus(account?.status);
    const hold = account && this.holdOf(account);
    if (hold) failSecurityHold(hold);
  }
}

/**
 * Locks of accounts. Until somebody unlocks the account, every action that needs a step-up is refused with ACCOUNT_LOCKED (module
 * second-factor), and so are new API keys, API keys that write, and what leads to the payment of a withdrawal. Callers that change a lock
 * have locked the user's row.
 */
@Injectable()
export class AccountLocksService {
  constructor(
    private readonly changes: AccountChangesRepository,
    private readonly holds: SecurityHoldsService,
    private readonly factors: UserFactors,
    private readonly clock: Clock,
  ) {}

  /** Null if the account is not locked, and for an unknown user. */
  async findLock(userId: string, manager?: EntityManager): Promise<AccountLock | null> {
    return currentLock((await this.changes.findLockColumns(userId, manager)) ?? WITHOUT_LOCK);
  }

  /**
   * Locks an account. Only two admins unlock it again if an admin has locked it, if it has a security hold, or if a second factor or
   * recovery codes were added in the last LOCK_LINK_DAYS: a thief may have caused the hold, or have added the factor. Only a stricter lock
   * replaces a present one; otherwise the present lock stays, and `former` and `lock` are the same object.
   */
  async startLock(
    tx: Tx,
    userId: string,
    by: LockOrigin,
    reason: string | null = null,
  ): Promise<{ former: AccountLock | null; lock: AccountLock }> {
    const former = await this.findLock(userId, tx);
    const hold = await this.holds.findHold(userId, tx);
    const newSince = new Date(realNow().getTime() - LOCK_LINK_DAYS * DAY_MS);
    const isDoubtful = hold !== null || (await this.factors.hasFactorSince(tx, userId, newSince));
    const unlock: Unlocker = by === 'admin' || isDoubtful ? 'admins' : 'step-up';
    if (former && (former.unlock === 'admins' || unlock === 'step-up')) return { former, lock: former };
    const lock: AccountLock = { since: this.clock.now(), by, unlock, reason };
    const columns = { lockedAt: lock.since, lockedBy: by, unlockBy: unlock };
    await this.changes.changeAccount(tx, userId, columns, lock.since);
    return { former, lock };
  }

  /** Returns the lock that it has ended; null, without a change, if there is none. */
  async endLock(tx: Tx, userId: string): Promise<AccountLock | null> {
    const lock = await this.findLock(userId, tx);
    if (lock) await this.changes.changeAccount(tx, userId, WITHOUT_LOCK, this.clock.now());
    return lock;
  }

  /**
   * Throws ACCOUNT_LOCKED if the account is locked; otherwise no lock can start before the transaction ends. Returns the status, the hold
   * and the lock of the account; undefined for an unknown user.
   */
  async requireUnlocked(tx: Tx, userId: string): Promise<LockedAccount | undefined> {
    const account = await this.changes.lockAccount(tx, userId);
    if (account) requireUnlocked(account);
    return account;
  }
}
