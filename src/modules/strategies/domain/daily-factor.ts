import { Money } from '../../../common/money.js';
import { DAYS_A_YEAR, HUNDRED } from '../../../common/ratio.js';

// Growth of one day at a yearly rate, (1 + apy/100)^(1/365), to fifty decimals. Whole numbers of
// 10^-60 all the way: a root by Newton's method, no float and no series.

const PLACES = 60;
const SHOWN_PLACES = 50;
const ONE = 10n ** BigInt(PLACES);
/** A step this small (10^-57) is the noise of the last digits: the root is found. */
const NOISE = 1000n;

/** What a unit's value is multiplied by in a day at `apy` percent a year. Needs `apy` above −100. */
export function dailyFactor(apy: Money): Money {
  return root365(yearlyFactor(apy));
}

/** What makes up for a day that grew at `used` although `achieved` was reached. */
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
  let root = ONE;
  for (;;) {
    const slope = power(root, BigInt(DAYS_A_YEAR) - 1n);
    const step = ((times(slope, root) - value) * ONE) / (BigInt(DAYS_A_YEAR) * slope);
    root -= step;
    if (step > -NOISE && step < NOISE) return asMoney(root);
  }
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

function asMoney(fixed: bigint): Money {
  const digits = fixed.toString().padStart(PLACES + 1, '0');
  return Money.of(`${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`).roundHalfEven(SHOWN_PLACES);
}
