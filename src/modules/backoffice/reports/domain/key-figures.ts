import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { percentOfCount, percentOrNull } from '../../../../common/ratio.js';
import type { Strategy } from '../../../investing/strategies/entities/strategy.entity.js';
import type { Activity } from './activity.js';
import type { TimeWindow } from './periods.js';

// Key figures of reports: fees, values and ratios.

const DAYS_PER_YEAR = Money.of('365');

/** Fees that the income accounts received. */
export interface Fees {
  readonly management: Money;
  readonly performance: Money;
  readonly total: Money;
}

/** The fees of a strategy, or of all strategies together. */
export function feesIn(activity: Activity, window: TimeWindow, strategyId?: string): Fees {
  const management = activity.changeIn(window, 'managementFees', strategyId);
  const performance = activity.changeIn(window, 'performanceFees', strategyId);
  return { management, performance, total: management.plus(performance) };
}

/** Extrapolates the revenue of some days to a year. */
export function projectedAnnual(revenue: Money, days: number): Money {
  return revenue
    .times(DAYS_PER_YEAR)
    .dividedBy(Money.of(String(days)))
    .roundHalfEven(MICRO_SCALE);
}

/** The values of the investments in a strategy at one moment. Not rounded. */
export interface StrategyValue {
  readonly strategy: Strategy;
  /** The value of open investments: pending, active and paused. */
  readonly value: Money;
  /** The value of active and paused investments. */
  readonly tvl: Money;
}

/** The values in the ledger: the principal, and the growth that is owed to the holders. */
export function ledgerValuesAt(
  activity: Activity,
  moment: Date,
  strategies: readonly Strategy[],
): StrategyValue[] {
  return strategies.map((strategy) => {
    const accrued = activity.valueAt(moment, 'accrued', strategy.id);
    // Without open investments, rounding can leave a millionth in strategy.accrued, which is owed to no holder.
    const withGrowth = (principal: Money) => (principal.isZero() ? Money.ZERO : principal.plus(accrued));
    const principal = activity.valueAt(moment, 'principal', strategy.id);
    const pending = activity.valueAt(moment, 'pendingPrincipal', strategy.id);
    const tvl = withGrowth(principal.minus(pending));
    return { strategy, value: pending.plus(tvl), tvl };
  });
}

/** The value of all open investments, rounded once. */
export function totalValue(values: readonly StrategyValue[]): Money {
  return Money.sum(values.map(({ value }) => value)).roundHalfEven(MICRO_SCALE);
}

/** The change between two amounts in percent; null if the first one is zero. */
export function changePercent(before: Money, now: Money): number | null {
  return percentOrNull(now.minus(before), before);
}

/** `part` of `whole` users in percent; null if `whole` is zero. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : percentOfCount(part, whole);
}
