import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber, percentOf, percentOfCount } from '../../../common/ratio.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';
import type { Activity } from './activity.js';
import type { TimeWindow } from './periods.js';

// Key figures of reports, computed from the activity: fees, value locked, and ratios.

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

/** The value locked in a strategy at some moment. */
export interface StrategyTvl {
  readonly strategy: Strategy;
  /** Principal of open investments. */
  readonly principal: Money;
  /** The principal and the growth owed to its holders in the ledger. */
  readonly tvl: Money;
}

export function strategyTvlsAt(
  activity: Activity,
  moment: Date,
  strategies: readonly Strategy[],
): StrategyTvl[] {
  return strategies.map((strategy) => {
    const principal = activity.valueAt(moment, 'principal', strategy.id);
    const accrued = activity.valueAt(moment, 'accrued', strategy.id);
    // Without open investments, rounding can leave a millionth in strategy.accrued, which is owed to no holder.
    return { strategy, principal, tvl: principal.isZero() ? Money.ZERO : principal.plus(accrued) };
  });
}

export function totalTvl(tvls: readonly StrategyTvl[]): Money {
  return Money.sum(tvls.map(({ tvl }) => tvl));
}

/** The mean of the strategies' rates, weighted by their principal; 0 without principal. */
export function weightedRate(tvls: readonly StrategyTvl[], rateOf: (strategy: Strategy) => Money): number {
  const total = Money.sum(tvls.map(({ principal }) => principal));
  if (total.isZero()) return 0;
  const weighted = tvls.map(({ strategy, principal }) => principal.times(rateOf(strategy)));
  return asNumber(Money.sum(weighted).dividedBy(total));
}

/** The change between two amounts in percent; null if the first one is zero. */
export function changePercent(before: Money, now: Money): number | null {
  return before.isZero() ? null : percentOf(now.minus(before), before);
}

/** `part` of `whole` users in percent; null if `whole` is zero. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : percentOfCount(part, whole);
}
