import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock, realNow } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import type { Tx } from '../../../database/unit-of-work.js';
import {
  currentLock,
  LOCK_LINK_DAYS,
  requireUnlocked,
  UserFactors,
  WITHOUT_LOCK,
} from './domain/account-restrictions.js';
import { SecurityHoldsService } from './security-holds.service.js';
import { AccountChangesRepository, type LockedAccount } from './account-changes.repository.js';
import type { AccountLock, LockOrigin, Unlocker } from './users.types.js';

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
   * recovery codes are younger than the links of mails: a thief may have caused the hold, or have the new factor. Only a stricter lock
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
   * Throws ACCOUNT_LOCKED. The account is not locked before the transaction ends: a lock waits for it. Returns what else was read under
   * the lock, undefined for an unknown user.
   */
  async requireUnlocked(tx: Tx, userId: string): Promise<LockedAccount | undefined> {
    const account = await this.changes.lockAccount(tx, userId);
    if (account) requireUnlocked(account);
    return account;
  }
}
