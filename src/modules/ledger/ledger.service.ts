import { Injectable } from '@nestjs/common';
import { afterCommit, type Tx } from '../../database/unit-of-work.js';
import { readTogether, type TransactionRead } from '../../database/transaction-calls.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Money } from '../../common/money.js';
import { Meters } from '../../observability/meters.js';
import type { BalanceChangedEvent } from './balance.events.js';
import { isUserFunds, USDC } from './domain/chart-of-accounts.js';
import { requireSufficient } from './domain/sufficient-balance.js';
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
   * Collects the postings; the next statement or the commit sends them. That fails with INSUFFICIENT_BALANCE if the balance of
   * a user account would become negative, and if a posting with the same type and reference exists (constraint
   * `ledger_transaction_fact`). Emits `balance.changed` for each user whose balance the postings change.
   */
  async post(tx: Tx, ...postings: Posting[]): Promise<void> {
    const moving = postings.filter((posting) => posting.entries.length > 0);
    if (moving.length === 0) return;
    await this.repository.collectPostings(tx, moving);
    for (const event of balanceChanges(moving)) await this.domainEvents.emit(tx, event);
    afterCommit(tx, () => moving.forEach(({ type }) => this.meters.count('posting', type)));
  }

  /** Lock the available balance before a decision that depends on it: concurrent spenders wait and see the rest. */
  async lockAvailable(tx: Tx, userId: string, asset: string = USDC): Promise<Money> {
    const [available] = await readTogether(tx, this.repository.availableBalanceLock(userId, asset));
    return available;
  }

  /** For `readTogether`: locks the available balance in USDC. Its result goes to `requireSufficient`. */
  availableLock(userId: string): TransactionRead<Money> {
    return this.repository.availableBalanceLock(userId, USDC);
  }

  /** Locks the available balance. Throws INSUFFICIENT_BALANCE if it is below `amount`. */
  async requireAvailable(tx: Tx, userId: string, amount: Money): Promise<void> {
    requireSufficient(await this.lockAvailable(tx, userId), amount);
  }
}

/** One event per user, at the time of the user's last posting. */
function balanceChanges(postings: readonly Posting[]): BalanceChangedEvent[] {
  const atByUser = new Map<string, Date>();
  for (const { entries, at } of postings)
    for (const { account } of entries) if (isUserFunds(account)) atByUser.set(account.owner, at);
  return [...atByUser].map(([userId, at]) => ({ name: 'balance.changed', userId, at }));
}
