import fc from 'fast-check';
import { Money } from './money.js';
import { annualisedPercent, asNumber, percentOf, percentOfCount } from './ratio.js';

it.each([
  ['1', '4', 25], // 1 / 4 × 100
  ['1', '3', 33.33],
  ['2', '3', 66.67],
  ['-1', '8', -12.5],
  ['5', '0', 0], // a percentage of zero is defined as 0
  ['0.000001', '1000000', 0],
])('%s as a percentage of %s is %d', (part, whole, percent) => {
  expect(percentOf(Money.of(part), Money.of(whole))).toBe(percent);
});

it('rounds half to even to the given number of decimals', () => {
  expect(percentOf(Money.of('1'), Money.of('3'), 4)).toBe(33.3333);
  expect(asNumber(Money.of('0.125'))).toBe(0.12);
  expect(asNumber(Money.of('0.135'))).toBe(0.14);
});

it('gives the same percentage for counts as for amounts', () => {
  const wholes = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 10_000_000 }));
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), wholes, (part, whole) => {
      expect(percentOfCount(part, whole)).toBe(percentOf(Money.of(String(part)), Money.of(String(whole))));
    }),
    {
      numRuns: 2000,
      examples: [
        [1, 800], // 0.125 %, a tie
        [3, 800], // 0.375 %, a tie
        [0, 1],
      ],
    },
  );
});

describe('A yearly rate', () => {
  it.each([
    ['1.1', 365, 10],
    ['1.000261157876067812', 1, 10], // 1.1^(1/365)
    ['1.007864477', 30, 10], // 1.1^(30/365)
    ['0.9', 365, -10],
    ['1', 7, 0],
    ['1.21', 730, 10], // √1.21 = 1.1
  ])('of a growth factor %s in %i days is %d %%', (factor, days, percent) => {
    expect(annualisedPercent(Money.of(factor), days)).toBe(percent);
  });

  it('has the given number of decimals', () => {
    expect(annualisedPercent(Money.of('1.01'), 30, 4)).toBe(12.8695); // 1.01^(365/30) = 1.128695…
  });
});
