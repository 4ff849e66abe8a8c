import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../../config/app-config.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { HOUR_MS } from '../../../common/durations.js';
import { currentHold, failSecurityHold, type HoldColumns } from './domain/account-restrictions.js';
import type { HoldReason, SecurityHold } from './users.types.js';
import { AccountChangesRepository, type LockedAccount } from './account-changes.repository.js';
import { UsersRepository } from './users.repository.js';
import { requireActiveStatus } from './users.service.js';

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

  /** Throws FORBIDDEN if the user is not active, and SECURITY_HOLD. The account was read under a lock; undefined if there is none. */
  requireUnheld(account: LockedAccount | undefined): void {
    requireActiveStatus(account?.status);
    const hold = account && this.holdOf(account);
    if (hold) failSecurityHold(hold);
  }
}
