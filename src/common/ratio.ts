import { Money } from './money.js';

// Ratios (APY, ROI, shares) are JSON numbers on the wire. The functions of this file calculate them from exact amounts or from
// counts; no amount of money is calculated from a ratio.

/** A percentage divided by it is a factor; a factor times it is a percentage. */
export const HUNDRED = Money.of('100');

/** `part` of `whole` in percent, to `decimals` places; 0 if `whole` is zero. */
export function percentOf(part: Money, whole: Money, decimals = 2): number {
  if (whole.isZero()) return 0;
  return asNumber(part.times(HUNDRED).dividedBy(whole), decimals);
}

/** As `percentOf`, for growth, returns and changes, which are undefined from zero: null if `whole` is zero. */
export function percentOrNull(part: Money, whole: Money, decimals = 2): number | null {
  return whole.isZero() ? null : percentOf(part, whole, decimals);
}

/** A decimal as a JSON number with at most `decimals` places. */
export function asNumber(value: Money, decimals = 2): number {
  return Number(value.toFixed(decimals));
}

/** `percentOf` for counts that are not negative, to two places. Calculates without `Money`, because a report has a thousand such percentages. */
export function percentOfCount(part: number, whole: number): number {
  if (whole === 0) return 0;
  const hundredths = Math.floor((part * 10_000) / whole);
  const remainder = (part * 10_000) % whole;
  const roundsUp = 2 * remainder > whole || (2 * remainder === whole && hundredths % 2 === 1); // ties to even
  return (hundredths + (roundsUp ? 1 : 0)) / 100;
}

const FACTOR_DECIMALS = 15; // more digits of a factor than a JSON number holds
export const DAYS_A_YEAR = 365;

/** The yearly rate, in percent, of growth by `factor` in `days` days (at least one): (factor^(365/days) − 1) × 100. */
export function annualisedPercent(factor: Money, days: number, decimals = 2): number {
  const yearly = (asNumber(factor, FACTOR_DECIMALS) ** (DAYS_A_YEAR / days) - 1) * 100;
  return Number(yearly.toFixed(decimals));
}
