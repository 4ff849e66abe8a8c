import { Injectable } from '@nestjs/common';
import { Snapshots, type Snapshot } from '../../database/snapshots.js';
import type { Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import type { Moment } from '../../common/moment.js';
import { InvestmentHistoryRepository } from '../investments/investment-history.repository.js';
import { LedgerHistory, type FundsThen } from '../ledger/ledger-history.queries.js';
import { NavsService } from '../strategies/navs.service.js';

/** How a user's money stood at some moment. */
export interface Standing extends FundsThen {
  readonly day: Day;
  /** Growth of what was open then, not realised then. */
  readonly accruedEarnings: Money;
}

/** Available, and what investments were worth. */
export function worthOf({ available, invested, accruedEarnings }: Standing): Money {
  return available.plus(invested).plus(accruedEarnings);
}

/**
 * A user's balance at any time in the past, from the ledger's entries and the strategies' values alone: what
 * the balance answered then.
 */
@Injectable()
export class BalanceHistory {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly ledger: LedgerHistory,
    private readonly investments: InvestmentHistoryRepository,
    private readonly navs: NavsService,
  ) {}

  /** At moments in the order of time; four statements, however many there are. */
  async at(userId: string, moments: readonly Moment[]): Promise<Standing[]> {
    await this.navs.today(); // a snapshot does not see values that are published later
    return this.snapshots.read((snapshot) => this.within(snapshot, userId, moments));
  }

  /** The same in a snapshot of the caller's, who has asked `Navs.today()` before. */
  async within(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<Standing[]> {
    const funds = await this.ledger.fundsAt(snapshot, userId, moments);
    const growth = await this.investments.growthAt(snapshot, userId, moments);
    return moments.map(({ day }, place) => ({
      ...(funds[place] as FundsThen),
      day,
      accruedEarnings: growth[place] ?? Money.ZERO,
    }));
  }
}
