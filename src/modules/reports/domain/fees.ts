import { MICRO_SCALE, Money } from '../../../common/money.js';
import { percentOf, percentOfCount } from '../../../common/ratio.js';
import type { Activity } from './activity.js';
import type { TimeWindow } from './periods.js';

const DAYS_PER_YEAR = Money.of('365');

/** Fees that the income accounts received. */
export interface Fees {
  readonly management: Money;
  readonly performance: Money;
  readonly total: Money;
}

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

/** The change between two amounts in percent; null if the first one is zero. */
export function growthPercent(before: Money, now: Money): number | null {
  return before.isZero() ? null : percentOf(now.minus(before), before);
}

/** A part of a number of users in percent; null if the number is zero. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : percentOfCount(part, whole);
}
