import { MICRO_SCALE, Money } from '../../common/money.js';
import type { Activity } from './activity.js';
import type { Window } from './periods.js';

const DAYS_A_YEAR = Money.of('365');

/** Fees that the income accounts received. */
export interface Fees {
  readonly management: Money;
  readonly performance: Money;
  readonly total: Money;
}

export function feesIn(activity: Activity, window: Window, strategyId?: string): Fees {
  const management = activity.between(window, 'managementFees', strategyId);
  const performance = activity.between(window, 'performanceFees', strategyId);
  return { management, performance, total: management.plus(performance) };
}

/** What so many days brought, made a year. */
export function projectedAnnual(revenue: Money, days: number): Money {
  return revenue
    .times(DAYS_A_YEAR)
    .dividedBy(Money.of(String(days)))
    .roundHalfEven(MICRO_SCALE);
}
