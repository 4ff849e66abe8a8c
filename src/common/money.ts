import { Big } from 'big.js';

// A constructor of its own, so that other users of big.js cannot change these settings.
const Decimal = Big();
Decimal.DP = 60; // decimals of a quotient before the caller rounds it; the last one is rounded half up
// Text of amounts between 1e-40 and 1e60, and so of every stored one, has no exponent.
Decimal.NE = -40;
Decimal.PE = 60;
Decimal.strict = true; // throws on JavaScript numbers

/** An amount as callers write it. */
export const MONEY_INPUT = /^(0|[1-9]\d{0,17})(\.\d{1,6})?$/;

// Decimal places of stored amounts.
export const MICRO_SCALE = 6; // USDC and USDT
export const ETH_SCALE = 18;
export const UNIT_SCALE = 24; // units of a strategy, and net asset values

/**
 * An exact decimal: an amount of USDC, USDT or ETH, a number of units, a net asset value, a rate or a factor. Immutable.
 * Sums, differences and products are exact; every method that drops digits states its rounding.
 */
export class Money {
  static readonly ZERO = Money.of('0');

  private constructor(private readonly value: Big) {}

  /** From decimal text, as stored or as written in code. Throws on anything that is not a decimal number. */
  static of(text: string): Money {
    return new Money(new Decimal(text));
  }

  /** From a caller's text: at most 18 digits before the point and six after it, no sign, no exponent; undefined otherwise. */
  static parse(input: unknown): Money | undefined {
    return typeof input === 'string' && MONEY_INPUT.test(input) ? Money.of(input) : undefined;
  }

  static sum(amounts: Iterable<Money>): Money {
    let total = Money.ZERO;
    for (const amount of amounts) total = total.plus(amount);
    return total;
  }

  plus(other: Money): Money {
    return new Money(this.value.plus(other.value));
  }

  minus(other: Money): Money {
    return new Money(this.value.minus(other.value));
  }

  times(factor: Money): Money {
    return new Money(this.value.times(factor.value));
  }

  /** The quotient, rounded half up to 60 decimals. Round it before it is stored. */
  dividedBy(divisor: Money): Money {
    return new Money(this.value.div(divisor.value));
  }

  negated(): Money {
    return new Money(this.value.times('-1'));
  }

  /** Rounds towards zero. */
  roundDown(scale: number): Money {
    return new Money(this.value.round(scale, Decimal.roundDown));
  }

  /** Rounds to the nearest, ties to even. */
  roundHalfEven(scale: number): Money {
    return new Money(this.value.round(scale, Decimal.roundHalfEven));
  }

  isZero(): boolean {
    return this.value.eq('0');
  }

  isPositive(): boolean {
    return this.value.gt('0');
  }

  isNegative(): boolean {
    return this.value.lt('0');
  }

  equals(other: Money): boolean {
    return this.value.eq(other.value);
  }

  isLessThan(other: Money): boolean {
    return this.value.lt(other.value);
  }

  isMoreThan(other: Money): boolean {
    return this.value.gt(other.value);
  }

  static min(a: Money, b: Money): Money {
    return a.isLessThan(b) ? a : b;
  }

  static max(a: Money, b: Money): Money {
    return a.isLessThan(b) ? b : a;
  }

  /**
   * The text for JSON: two to six decimals, no trailing zeros after the second.
   * Throws a RangeError if the amount has more than six decimals: the caller has to round it first.
   */
  toWire(): string {
    const [, fraction = ''] = this.toString().split('.') as [string, string?];
    if (fraction.length > MICRO_SCALE)
      throw new RangeError('The amount must be rounded to six decimals before it is sent.');
    return this.toExact();
  }

  /** The text with all decimals, at least two. */
  toExact(): string {
    const [whole, fraction = ''] = this.toString().split('.') as [string, string?];
    return `${whole}.${fraction.padEnd(2, '0')}`;
  }

  /** The text with exactly `scale` decimals, rounded half to even. */
  toFixed(scale: number): string {
    return this.value.toFixed(scale, Decimal.roundHalfEven);
  }

  /** The text with all decimals and no trailing zeros; it is written to the database. */
  toString(): string {
    const text = this.value.toString();
    return text === '-0' ? '0' : text;
  }

  toJSON(): string {
    return this.toWire();
  }
}
