import { Money } from './money.js';

// Ratios (APY, ROI, shares) are JSON numbers on the wire. They are worked out exactly and become a number
// only here, at the very end: no money is ever computed from one.

const HUNDRED = Money.of('100');

/** `part` of `whole` in percent, to `decimals` places; 0 where there is no whole. */
export function percentOf(part: Money, whole: Money, decimals = 2): number {
  if (whole.isZero()) return 0;
  return asNumber(part.times(HUNDRED).dividedBy(whole), decimals);
}

/** A decimal as a JSON number with at most `decimals` places. */
export function asNumber(value: Money, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
