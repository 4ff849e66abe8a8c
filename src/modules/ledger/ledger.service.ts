import { Injectable } from '@nestjs/common';
import { afterCommit, type Tx } from '../../database/unit-of-work.js';
import { DomainEvents } from '../../database/domain-events.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Money } from '../../common/money.js';
import { Meters } from '../../observability/meters.js';
import type { BalanceChangedEvent } from './balance.events.js';
import { isUserFunds, USDC } from './domain/chart-of-accounts.js';
import { LedgerRepository } from './ledger.repository.js';
import type { Posting } from './domain/posting.js';

/** No other service moves money. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly meters: Meters,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Posts all in one statement. Throws INSUFFICIENT_BALANCE if the balance of a user account would become negative.
   * Fails if a posting with the same type and reference exists (constraint `ledger_transaction_fact`). Emits
   * `balance.changed` for each user whose balance it changes.
   */
  async post(tx: Tx, ...postings: Posting[]): Promise<void> {
    const moving = postings.filter((posting) => posting.entries.length > 0);
    if (moving.length === 0) return;
    await this.repository.insertPostings(tx, moving);
    for (const event of balanceChanges(moving)) await this.domainEvents.emit(tx, event);
    afterCommit(tx, () => moving.forEach(({ type }) => this.meters.count('posting', type)));
  }

  /** Lock the available balance before a decision that depends on it: concurrent spenders wait and see the rest. */
  async lockAvailable(tx: Tx, userId: string, asset: string = USDC): Promise<Money> {
    return this.repository.lockAvailableBalance(tx, userId, asset);
  }

  /** Locks the available balance. Throws INSUFFICIENT_BALANCE if it is below `amount`. */
  async requireAvailable(tx: Tx, userId: string, amount: Money): Promise<void> {
    const available = await this.lockAvailable(tx, userId);
    if (available.isLessThan(amount)) {
      fail('INSUFFICIENT_BALANCE', {
        available: available.toWire(),
        requested: amount.toWire(),
        shortfall: amount.minus(available).toWire(),
      });
    }
  }
}

/** One event per user, at the time of the user's last posting. */
function balanceChanges(postings: readonly Posting[]): BalanceChangedEvent[] {
  const atByUser = new Map<string, Date>();
  for (const { entries, at } of postings)
    for (const { account } of entries) if (isUserFunds(account)) atByUser.set(account.owner, at);
  return [...atByUser].map(([userId, at]) => ({ name: 'balance.changed', userId, at }));
}
