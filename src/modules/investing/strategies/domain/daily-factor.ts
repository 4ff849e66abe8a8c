import { Money } from '../../../../common/money.js';
import { DAYS_A_YEAR, HUNDRED } from '../../../../common/ratio.js';

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
