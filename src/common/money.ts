import { Big } from 'big.js';

// A private copy of the constructor: nobody else's settings can change how money is computed.
const Decimal = Big();
Decimal.DP = 60; // digits kept by a division before it is rounded by name
Decimal.NE = -40; // never exponents in text
Decimal.PE = 60;
Decimal.strict = true; // a JavaScript number can not become money

const INPUT = /^(0|[1-9]\d{0,17})(\.\d{1,6})?$/;

/** Decimal places that the amounts of an asset are stored with. */
export const MICRO_SCALE = 6;
export const ETH_SCALE = 18;
export const UNIT_SCALE = 24;

/**
 * An exact amount of some asset: dollars in micro-units, ETH, units of a strategy or a net asset value.
 * Immutable. Sums, differences and products are exact; whatever loses digits is rounded by name.
 */
export class Money {
  static readonly ZERO = Money.of('0');

  private constructor(private readonly value: Big) {}

  /** From decimal text, as stored or as written in code. Throws on anything that is not a decimal number. */
  static of(text: string): Money {
    return new Money(new Decimal(text));
  }

  /** From a caller's text: at most 18 digits and six decimals, no sign, no exponent; undefined otherwise. */
  static parse(input: unknown): Money | undefined {
    return typeof input === 'string' && INPUT.test(input) ? Money.of(input) : undefined;
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

  /** A quotient with 60 decimals: round it by name before it is kept. */
  dividedBy(divisor: Money): Money {
    return new Money(this.value.div(divisor.value));
  }

  negated(): Money {
    return new Money(this.value.times('-1'));
  }

  /** Towards zero: what the platform pays out. */
  roundDown(scale: number): Money {
    return new Money(this.value.round(scale, Decimal.roundDown));
  }

  /** To the nearest, ties to even: what is shown. */
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
   * On the wire: at least two and at most six decimals, no trailing zeros past the second.
   * Throws when there are more than six: rounding is the caller's decision, by name.
   */
  toWire(): string {
    const [, fraction = ''] = this.toString().split('.') as [string, string?];
    if (fraction.length > MICRO_SCALE) throw new RangeError('money must be rounded before it is shown');
    return this.toExact();
  }

  /** With all its decimals, at least two: where not a digit may be lost. */
  toExact(): string {
    const [whole, fraction = ''] = this.toString().split('.') as [string, string?];
    return `${whole}.${fraction.padEnd(2, '0')}`;
  }

  /** Exactly as many decimals as asked for, for reports with a fixed scale. */
  toFixed(scale: number): string {
    return this.value.toFixed(scale, Decimal.roundHalfEven);
  }

  /** All digits, no trailing zeros: the stored form. */
  toString(): string {
    const text = this.value.toString();
    return text === '-0' ? '0' : text;
  }

  toJSON(): string {
    return this.toWire();
  }
}
