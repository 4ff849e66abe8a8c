import { Money } from './money.js';

// Ratios (APY, ROI, shares) are JSON numbers on the wire. They are calculated exactly and become a number
// in the functions of this file, as the last step: no amount of money is calculated from one.

/** Percent are divided by it. */
export const HUNDRED = Money.of('100');

/** `part` of `whole` in percent, to `decimals` places; 0 if `whole` is zero. */
export function percentOf(part: Money, whole: Money, decimals = 2): number {
  if (whole.isZero()) return 0;
  return asNumber(part.times(HUNDRED).dividedBy(whole), decimals);
}

/** A decimal as a JSON number with at most `decimals` places. */
export function asNumber(value: Money, decimals = 2): number {
  return Number(value.toFixed(decimals));
}

/**
 * `percentOf` for counts that are not negative, to two places, without `Money`: a report has a thousand of these ratios.
 */
export function percentOfCount(part: number, whole: number): number {
  if (whole === 0) return 0;
  const [hundredths, rest] = [Math.floor((part * 10_000) / whole), (part * 10_000) % whole];
  const isUp = 2 * rest > whole || (2 * rest === whole && hundredths % 2 === 1); // ties to even
  return (hundredths + (isUp ? 1 : 0)) / 100;
}

const RATIO_DIGITS = 15; // what a JSON number can hold
export const DAYS_A_YEAR = 365;

/** Growth of some days by a factor, in percent a year: (factor^(365/days) − 1) × 100. Needs at least one day. */
export function annualisedPercent(factor: Money, days: number, decimals = 2): number {
  const yearly = (asNumber(factor, RATIO_DIGITS) ** (DAYS_A_YEAR / days) - 1) * 100;
  return Number(yearly.toFixed(decimals));
}
