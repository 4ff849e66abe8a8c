import { demand } from '../encoding.js';

// Exact decimals as whole multiples of 10^-24, the smallest amount of the ledger, and roots for net asset values.

export const SCALE = 24;
const AMOUNT = /^(-?)(0|[1-9]\d*)\.(\d\d|\d{2,}[1-9])$/;
/** Decimals of factors. `ONE` is the factor 1. */
const PLACES = 60;
const ONE = 10n ** BigInt(PLACES);

/**
 * Parses an amount as the platform writes it: at least two decimals and no zero at the end beyond the second. Returns whole
 * multiples of 10^-`scale`.
 */
export function partsOf(text: unknown, scale = SCALE): bigint {
  const [, sign = '', whole, fraction = ''] = typeof text === 'string' ? (AMOUNT.exec(text) ?? []) : [];
  demand(whole !== undefined && fraction.length <= scale, `${JSON.stringify(text)} is not an amount.`);
  const parts = BigInt(whole + fraction.padEnd(scale, '0'));
  demand(sign === '' || parts !== 0n, 'The amount zero has a minus sign.');
  return sign === '' ? parts : -parts;
}

export function amountText(parts: bigint): string {
  const digits = String(parts < 0n ? -parts : parts).padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '').padEnd(2, '0');
  return `${parts < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${fraction}`;
}

/**
 * `nav` × (1 + `apy`/100)^(1/365) × `correction`, rounded half to even at 24 decimals. `correction`: the factor
 * that makes up for late yield reports of earlier days; 1 if it is undefined.
 */
export function nextNav(nav: string, apy: string, correction: string | undefined): bigint {
  const exact = partsOf(nav) * dailyFactor(apy);
  const corrected = exact * (correction === undefined ? ONE : correctionPartsOf(correction));
  return halfEven(corrected, 10n ** BigInt(2 * PLACES));
}

/** The daily factors by APY: strategies have the same rate on many days. */
const factors = new Map<string, bigint>();
const MAX_FACTORS = 1000; // a forged pack can state a different rate for each day

/** (1 + `apy`/100)^(1/365) in parts of 10^-60, rounded half to even at 50 decimals, as the platform rounds it. */
function dailyFactor(apy: string): bigint {
  const cached = factors.get(apy);
  if (cached !== undefined) return cached;
  const yearly = ONE + partsOf(apy, PLACES) / 100n;
  demand(yearly > 0n, 'The rate is not above -100 percent.');
  const unit = 10n ** BigInt(PLACES - 50);
  const factor = halfEven(root365(yearly), unit) * unit;
  if (factors.size === MAX_FACTORS) factors.clear();
  factors.set(apy, factor);
  return factor;
}

/** The 365th root by bisection. Errors of its last digits vanish when the factor is rounded at 50 decimals. */
function root365(value: bigint): bigint {
  let low = 0n;
  let high = 4n * ONE; // far above every daily factor
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (power365(middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function power365(base: bigint): bigint {
  const guardDigits = 10n ** 20n;
  const one = ONE * guardDigits;
  let result = one;
  let factor = base * guardDigits;
  for (let exponent = 365; exponent > 0; exponent = Math.floor(exponent / 2)) {
    if (exponent % 2 === 1) result = (result * factor) / one;
    factor = (factor * factor) / one;
  }
  return result / guardDigits;
}

/** A correction in parts of 10^-60. */
function correctionPartsOf(text: string): bigint {
  const [, whole, fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  demand(whole !== undefined && fraction.length <= PLACES, `${text} is not a factor.`);
  return BigInt(whole + fraction.padEnd(PLACES, '0'));
}

/** `value` divided by `unit`, rounded half to even. Both are positive. */
function halfEven(value: bigint, unit: bigint): bigint {
  const quotient = value / unit;
  const doubled = 2n * (value % unit);
  const roundsUp = doubled > unit || (doubled === unit && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}
