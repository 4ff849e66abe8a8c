import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { addDays, dayOf, endsOf, type Day } from '../../../common/days.js';
import { endOf, type Moment } from '../../../common/moment.js';
import { Money } from '../../../common/money.js';
import { Snapshots, type Snapshot } from '../../../database/snapshots.js';
import { dayRange, failTooLong } from '../../../http/request/date-range.js';
import {
  LedgerHistoryRepository,
  type PastFunds,
  type UserFunds,
} from '../../core/ledger/ledger.repository.js';
import { UsersService } from '../../identity/users/users.service.js';
import { toOpenPositions, type OpenPosition } from '../../investing/investments/domain/investment.js';
import { InvestmentHistoryRepository } from '../../investing/investments/investment-history.repository.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { ValuedSnapshot } from '../../investing/strategies/strategies.types.js';
import { BalanceRepository } from './balance.repository.js';
import type { BalanceHistoryQuery } from './dto/balance-history.request.js';

export interface Balance {
  readonly funds: UserFunds;
  /** Open investments, summed up by strategy. */
  readonly positions: readonly OpenPosition[];
  /** Unrealised growth of the positions. */
  readonly accruedEarnings: Money;
  /** Domain time of the last movement; if there is none, of the user's creation. */
  readonly updatedAt: Date;
}

@Injectable()
export class BalanceService {
  constructor(
    private readonly repository: BalanceRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly users: UsersService,
  ) {}

  /** The balance in the snapshot, or the present one without a snapshot. Throws USER_NOT_FOUND. */
  async getBalance(userId: string, snapshot?: ValuedSnapshot): Promise<Balance> {
    const navs = snapshot?.navs ?? (await this.navs.getCurrentNavs());
    const { funds, positions: rows } = await this.repository.getFundsAndPositions(
      userId,
      navs,
      snapshot?.manager,
    );
    const positions = toOpenPositions(rows, this.strategies.all);
    const growth = positions.map(({ amount, currentValue }) => currentValue.minus(amount));
    return {
      funds,
      positions,
      accruedEarnings: Money.sum(growth),
      updatedAt: funds.lastMovedAt ?? (await this.users.get(userId, snapshot?.manager)).createdAt,
    };
  }
}

const DEFAULT_DAYS = 30;
const MAX_INTERVALS = 1100; // three years of days

/** A user's balance at a moment. */
export interface PastBalance extends PastFunds {
  /** The day that contains the moment. */
  readonly day: Day;
  /** Unrealised growth of the investments that were open then. */
  readonly accruedEarnings: Money;
}

/** The balance at the end of an interval, and at the end of the interval before. */
export interface BalanceInterval {
  readonly before: PastBalance;
  readonly end: PastBalance;
  /** Earned on the days of the interval that have ended; null if none has ended. */
  readonly growth: Money | null;
}

/** The available money, and investments at their value at that moment. */
export function totalValueOf({ available, invested, accruedEarnings }: PastBalance): Money {
  return available.plus(invested).plus(accruedEarnings);
}

/** Past balances, computed from ledger entries and published NAVs. They equal the balances that the API returned then. */
@Injectable()
export class BalanceHistoryService {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly ledger: LedgerHistoryRepository,
    private readonly investments: InvestmentHistoryRepository,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /** The oldest interval first. Throws INVALID_DATE_RANGE. */
  async listIntervals(userId: string, query: BalanceHistoryQuery): Promise<BalanceInterval[]> {
    const now = this.clock.now();
    const { from, to } = dayRange(query, now, { lastDays: DEFAULT_DAYS });
    const endDays =
      endsOf(from, to, query.interval, MAX_INTERVALS) ?? failTooLong(`${MAX_INTERVALS} intervals`);
    const today = dayOf(now);
    const firstDays = [from, ...endDays.map((day) => addDays(day, 1))];
    const ranges = endDays.map((lastDay, index) => ({ from: firstDays[index] as Day, to: lastDay }));
    const ends = [addDays(from, -1), ...endDays].map((day) => endOf(day, today));
    await this.navs.publishMissingNavs(); // a snapshot does not see NAVs that are published later
    const [balances, growth] = await this.snapshots.read((snapshot) =>
      Promise.all([
        this.balancesIn(snapshot, userId, ends),
        this.investments.growthInRanges(snapshot, userId, ranges, today),
      ]),
    );
    return ranges.map((range, index) => ({
      before: balances[index] as PastBalance, // the first balance is that before the range
      end: balances[index + 1] as PastBalance,
      growth: range.from < today ? (growth[index] ?? Money.ZERO) : null,
    }));
  }

  /**
   * The balances at `moments`, which are in the order of time. The caller opens the snapshot after `NavsService.publishMissingNavs`.
   * Three statements read any number of balances.
   */
  async balancesIn(snapshot: Snapshot, userId: string, moments: readonly Moment[]): Promise<PastBalance[]> {
    const [funds, growth] = await Promise.all([
      this.ledger.findFundsAt(snapshot, userId, moments),
      this.investments.growthAt(snapshot, userId, moments),
    ]);
    return moments.map(({ day }, index) => ({
      ...(funds[index] as PastFunds),
      day,
      accruedEarnings: growth[index] ?? Money.ZERO,
    }));
  }
}
