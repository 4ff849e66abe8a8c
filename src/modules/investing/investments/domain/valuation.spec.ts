import fc from 'fast-check';
import { addDays, startOfDay, type Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import { endOf } from '../../../../common/moment.js';
import { growthAtMoments, type InvestmentSegment, type PastNav } from './valuation.js';

const FIRST: Day = '2026-03-01';
const DAYS = Array.from({ length: 8 }, (_, index) => addDays(FIRST, index));
const TODAY = addDays(FIRST, 7);
const MOMENTS = DAYS.map((day) => endOf(day, TODAY));

/** The number in `text` as an integer, a multiple of 10 to the power of −`scale`. */
const scaled = (text: string, scale: number) => {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
};
/** The inverse of `scaled` for the scale 24. */
const decimal = (scaledValue: bigint) => {
  const digits = String(scaledValue).padStart(25, '0');
  return Money.of(`${digits.slice(0, -24)}.${digits.slice(-24)}`);
};
const segment = (fields: Partial<InvestmentSegment> = {}): InvestmentSegment => ({
  strategyId: 'balanced-10',
  issuedOn: FIRST,
  since: startOfDay(FIRST).getTime() + 1,
  until: Infinity,
  units: scaled('100', 24),
  principal: scaled('100', 6),
  ...fields,
});
const navs = (text: string): PastNav[] =>
  DAYS.map((day) => ({ strategyId: 'balanced-10', day, nav: scaled(text, 24) }));
const texts = (growth: Money[]) => growth.map(String);

describe('growthAtMoments', () => {
  it('returns growth from the second day after the units were issued', () => {
    expect(texts(growthAtMoments([segment()], navs('1.01'), MOMENTS))).toEqual([
      '0',
      '0',
      ...Array(6).fill('1'), // 100 × 1.01 − 100
    ]);
  });

  it('returns growth up to the end of the segment, a moment at its end included', () => {
    const until = startOfDay(addDays(FIRST, 4)).getTime();
    expect(texts(growthAtMoments([segment({ until })], navs('1.01'), MOMENTS))).toEqual([
      '0',
      '0',
      '1',
      '1',
      '0',
      '0',
      '0',
      '0',
    ]);
    expect(texts(growthAtMoments([segment({ until: until - 1 })], navs('1.01'), MOMENTS))[3]).toBe('0');
  });

  it.each([
    ['1.0000005', '0'],
    ['1.0000015', '0.000002'],
    ['1.0000025', '0.000002'],
    ['1.000000500000000000000001', '0.000001'],
    ['0.9999995', '0'],
    ['0.9999985', '-0.000002'],
  ])('rounds a value of %s half to even, which is a growth of %s over the principal of 1', (nav, growth) => {
    const oneUnit = segment({ units: scaled('1', 24), principal: scaled('1', 6) });
    expect(String(growthAtMoments([oneUnit], navs(nav), MOMENTS).at(-1))).toBe(growth);
  });

  it('sums up values that are rounded as Money rounds them, less the principals', () => {
    const amounts = fc.record({
      units: fc.oneof(
        fc.bigInt(1n, 10n ** 33n),
        fc.bigInt(1n, 10n ** 9n).map((value) => value * 10n ** 24n), // whole units
      ),
      principal: fc.bigInt(1n, 10n ** 15n),
    });
    const nav = fc.oneof(
      fc.bigInt(1n, 10n ** 26n),
      fc.bigInt(10n ** 37n, 10n ** 38n - 1n), // the largest of the column
      fc.bigInt(1n, 10n ** 8n).map((value) => value * 10n ** 17n), // 7 decimals: half-way values of whole units
    );
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 5 }), nav, (investments, price) => {
        const prices = DAYS.map((day) => ({ strategyId: 'balanced-10', day, nav: price }));
        const expected = Money.sum(
          investments.map(({ units, principal }) =>
            decimal(units)
              .times(decimal(price))
              .roundHalfEven(6)
              .minus(Money.of('0.000001').times(Money.of(String(principal)))),
          ),
        );
        expect(String(growthAtMoments(investments.map(segment), prices, MOMENTS).at(-1))).toBe(
          String(expected),
        );
      }),
    );
  });
});
