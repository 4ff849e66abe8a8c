import { Money } from '../../common/money.js';
import { percentOf, percentOfCount } from '../../common/ratio.js';

/** Change from one figure to another in percent; null where there was nothing before. */
export function growthPercent(before: Money, now: Money): number | null {
  return before.isZero() ? null : percentOf(now.minus(before), before);
}

/** Percent of a number of people; null where there is nobody. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : percentOfCount(part, whole);
}
