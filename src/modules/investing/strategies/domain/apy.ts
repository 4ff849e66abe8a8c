import { addDays, type Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import { annualisedPercent, asNumber, DAYS_A_YEAR, HUNDRED } from '../../../../common/ratio.js';

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

// Growth of one day at a yearly rate, (1 + apy/100)^(1/365), to fifty decimals. The root is computed by Newton's method with
// integers that count 10^-60.

const PLACES = 60;
const RESULT_PLACES = 50;
const ONE = 10n ** BigInt(PLACES);
/** 10^-57: a smaller step is a rounding error of the last digits, and the root is found. */
const PRECISION = 1000n;
const DAYS = BigInt(DAYS_A_YEAR);
const LN_2_THOUSANDTHS = 693n;

/** The factor by which the value of a unit grows in a day at `apy` percent a year, which must be above −100. */
export function dailyFactor(apy: Money): Money {
  return root365(yearlyFactor(apy));
}

/** The factor that corrects a value for one day on which it grew at the rate `used` and should have grown at `achieved`. */
export function correctionFactor(achieved: Money, used: Money): Money {
  return root365(yearlyFactor(achieved).dividedBy(yearlyFactor(used)));
}

function yearlyFactor(apy: Money): Money {
  const factor = Money.of('1').plus(apy.dividedBy(HUNDRED));
  if (!factor.isPositive()) throw new RangeError('a yearly rate must be above -100 percent');
  return factor;
}

function root365(factor: Money): Money {
  const value = BigInt(factor.toFixed(PLACES).replace('.', ''));
  let root = firstGuess(value);
  let lastSize: bigint | undefined;
  for (;;) {
    const slope = power(root, DAYS - 1n);
    const step = ((times(slope, root) - value) * ONE) / (DAYS * slope);
    const size = step < 0n ? -step : step;
    root -= step;
    // Each step is smaller than the one before, until only rounding errors are left. Near -100 % these exceed PRECISION.
    if (size < PRECISION || (lastSize !== undefined && size >= lastSize)) return asMoney(root);
    lastSize = size;
  }
}

/** The root of about the nearest power of two, 1 + k · ln 2 / 365, so that a few steps suffice at any rate. */
function firstGuess(value: bigint): bigint {
  const exponent = BigInt(bitsOf(value) - bitsOf(ONE));
  return ONE + (ONE * exponent * LN_2_THOUSANDTHS) / (1000n * DAYS);
}

function bitsOf(value: bigint): number {
  return value.toString(2).length;
}

function times(a: bigint, b: bigint): bigint {
  return (a * b) / ONE;
}

function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return ONE;
  const half = power(base, exponent / 2n);
  const square = times(half, half);
  return exponent % 2n === 0n ? square : times(square, base);
}

/** The number as Money, rounded to fifty decimals. */
function asMoney(count: bigint): Money {
  const digits = count.toString().padStart(PLACES + 1, '0');
  return Money.of(`${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`).roundHalfEven(RESULT_PLACES);
}
