import { addDays, type Day } from '../../../../common/days.js';
import type { Money } from '../../../../common/money.js';

/** The APY of a strategy, percent a year, and the one that counted before the day `apyFrom`. */
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
