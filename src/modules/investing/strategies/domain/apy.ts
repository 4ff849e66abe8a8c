import { addDays, type Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import { annualisedPercent, asNumber } from '../../../../common/ratio.js';

/** The days over which an achieved yield is measured; fewer for a younger strategy. */
export const ACHIEVED_DAYS = 30;

/** Description of achieved yields in the API. */
export const ABOUT_ACHIEVED =
  'achieved, percent a year, to two decimals: annualised growth of the value of a unit over the last 30 days, or since the first day of a younger strategy; null before its first full day';

const DECIMALS = 6;

/** The yearly rate, in percent, of the growth of a unit by `factor` in `days` days; null before a full day. */
export function achievedApy(factor: Money, days: number): Money | null {
  return days === 0 ? null : Money.of(annualisedPercent(factor, days, DECIMALS).toFixed(DECIMALS));
}

/** A yield of a strategy, and the value that is in it. */
export interface WeightedYield {
  readonly value: Money;
  /** Percent a year; null if it is unknown. */
  readonly apy: Money | null;
}

/** The mean of the known yields, weighted by value, to two decimals; null without a value that has one. */
export function meanYield(yields: readonly WeightedYield[]): number | null {
  const known = yields.flatMap(({ value, apy }) => (apy ? [{ value, product: value.times(apy) }] : []));
  const total = Money.sum(known.map(({ value }) => value));
  if (total.isZero()) return null;
  return asNumber(Money.sum(known.map(({ product }) => product)).dividedBy(total));
}

/** The target of a strategy, percent a year, and the former target, which counted before the day `apyFrom`. */
export interface TargetApy {
  readonly apy: Money;
  /** Null, like `apyFrom`, if the APY has never changed. */
  readonly formerApy: Money | null;
  readonly apyFrom: Day | null;
}

/** The target after a start of the service with `apy` in STRATEGIES_FILE: a change counts from the day after `today`. */
export function targetAfterStart(apy: Money, stored: TargetApy | undefined, today: Day): TargetApy {
  if (!stored) return { apy, formerApy: null, apyFrom: null };
  if (apy.equals(stored.apy)) return { apy, formerApy: stored.formerApy, apyFrom: stored.apyFrom };
  return { apy, formerApy: targetApyOf(stored, today), apyFrom: addDays(today, 1) };
}

/** The APY that counts for the growth of a day. */
export function targetApyOf({ apy, formerApy, apyFrom }: TargetApy, day: Day): Money {
  return formerApy !== null && apyFrom !== null && day < apyFrom ? formerApy : apy;
}
