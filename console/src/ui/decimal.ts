// Decimal texts, computed without floats. Amounts of the API have at most 24 decimals.

const SCALE = 24;
const PLAIN = /^-?\d+(\.\d+)?$/;

export const isDecimal = (text: string): boolean => PLAIN.test(text);

function toUnits(text: string): bigint {
  if (!isDecimal(text)) throw new TypeError(`"${text}" is not a decimal`);
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'));
  return text.startsWith('-') ? -units : units;
}

function toText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0');
  const fraction = digits.slice(-SCALE).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction ? `.${fraction}` : ''}`;
}

/** Negative, zero or positive, as `left` is less than, equal to or more than `right`. */
export function compareDecimals(left: string, right: string): number {
  const difference = toUnits(left) - toUnits(right);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

export const isPositive = (text: string): boolean => compareDecimals(text, '0') > 0;
export const add = (left: string, right: string): string => toText(toUnits(left) + toUnits(right));
export const subtract = (left: string, right: string): string => toText(toUnits(left) - toUnits(right));
export const smallest = (first: string, ...others: string[]): string =>
  others.reduce((least, other) => (compareDecimals(other, least) < 0 ? other : least), first);

/** `percent` % of the amount, cut after six decimals. */
export function percentOf(amount: string, percent: string): string {
  const product = (toUnits(amount) * toUnits(percent)) / (10n ** BigInt(SCALE) * 100n);
  return toText(product - (product % 10n ** 18n));
}

/** A position for a chart, where a rounded number is enough. */
export const toPixelNumber = (text: string): number => Number(text);
