import { Injectable } from '@nestjs/common';
import { afterCommit } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { DomainEvents, type DomainEvent } from '../../../events/domain-events.js';
import { throwError } from '../../../common/errors/domain-error.js';
import type { Money } from '../../../common/money.js';
import { Meters } from '../../../observability/meters.js';
import { isUserFunds, USDC, type Posting } from './domain/chart-of-accounts.js';
import { LedgerRepository } from './ledger.repository.js';

/** Topic `balance`: emitted in the transaction whose postings change the available, invested or reserved USDC of a user. */
interface BalanceChangedEvent extends DomainEvent {
  readonly name: 'balance.changed';
}

/** Posts to the ledger, which is the only way to move money. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly meters: Meters,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Sends the postings that have entries. The next statement or the commit fails with INSUFFICIENT_BALANCE if a user's account
   * would become negative, or on the constraint `ledger_transaction_fact` if a posting with the same type and reference exists.
   * Emits `balance.changed` for each user whose USDC the postings change.
   */
  async post(tx: Tx, ...postings: Posting[]): Promise<void> {
    const nonEmpty = postings.filter((posting) => posting.entries.length > 0);
    if (nonEmpty.length === 0) return;
    this.repository.insertPostings(tx, nonEmpty);
    for (const event of balanceChanges(nonEmpty)) await this.domainEvents.emit(tx, event);
    afterCommit(tx, () => nonEmpty.forEach(({ type }) => this.meters.count('posting', type)));
  }

  /** Locks and returns the available balance. Concurrent transactions that spend it wait, and then read the reduced balance. */
  lockAvailable(tx: Tx, userId: string, asset: string = USDC): Promise<Money> {
    return this.repository.lockAvailable(tx, userId, asset);
  }

  /** The amounts of these deposits that the suspense accounts hold, by the id of the deposit. */
  sumSuspense(tx: Tx, depositIds: readonly string[]): Promise<Map<string, Money>> {
    return this.repository.sumSuspense(tx, depositIds);
  }

  /** Locks the available balance in USDC. Throws INSUFFICIENT_BALANCE if it is below `amount`. */
  async requireAvailable(tx: Tx, userId: string, amount: Money): Promise<void> {
    requireSufficient(await this.lockAvailable(tx, userId), amount);
  }
}

/** Throws INSUFFICIENT_BALANCE if the locked available balance is below `amount`. */
export function requireSufficient(available: Money, amount: Money): void {
  if (!available.isLessThan(amount)) return;
  throwError('INSUFFICIENT_BALANCE', {
    available: available.toWire(),
    requested: amount.toWire(),
    shortfall: amount.minus(available).toWire(),
  });
}

/** One event for each user whose funds the postings change, at the time of the last posting that changes them. */
function balanceChanges(postings: readonly Posting[]): BalanceChangedEvent[] {
  const atByUser = new Map<string, Date>();
  for (const { entries, at } of postings)
    for (const { account } of entries) if (isUserFunds(account)) atByUser.set(account.owner, at);
  return [...atByUser].map(([userId, at]) => ({ name: 'balance.changed', userId, at }));
}
