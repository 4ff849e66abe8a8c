import { Money } from '../../../../common/money.js';
import type { Strategy } from '../entities/strategy.entity.js';
import { expectedAmount, waitingReasons } from './yield-report.js';

const TOLERANCE = { YIELD_TOLERANCE_PERCENT: Money.of('5'), REALISED_TOLERANCE_PERCENT: Money.of('20') };
const invested = (least: string, most = least) => ({ least: Money.of(least), most: Money.of(most) });

describe('expectedAmount', () => {
  // Growth of a day: 100000 × (1.1^(1/365) − 1) = 26.115788, 150000: 39.173681
  it.each([
    ['the growth of the invested value', '5000000000', invested('100000'), '10', '26.115788'],
    [
      'the growth with investments of the day, below a higher amount',
      '50',
      invested('100000', '150000'),
      '10',
      '39.173681',
    ],
    [
      'the growth without investments of the day, above a lower amount',
      '20',
      invested('100000', '150000'),
      '10',
      '26.115788',
    ],
    ['the stated amount itself between the two', '30.5', invested('100000', '150000'), '10', '30.50'],
    ['nothing without investments', '5', invested('0'), '10', '0.00'],
    ['nothing for a loss', '5', invested('100000'), '-10', '0.00'],
    ['nothing at a rate of zero', '5', invested('100000'), '0', '0.00'],
  ])('is %s', (_, stated, value, apy, expected) => {
    expect(expectedAmount(Money.of(stated), value, Money.of(apy)).toWire()).toBe(expected);
  });
});

describe('waitingReasons', () => {
  const reasons = (apy: string, realised: string | null, expected: string | null) =>
    waitingReasons(
      {
        apy: Money.of(apy),
        strategy: { apy: Money.of('10') } as Strategy,
        realisedAmount: realised === null ? null : Money.of(realised),
      },
      expected === null ? null : Money.of(expected),
      TOLERANCE,
    );

  it.each([
    ['10', '120', '100', []], // exactly 20 %
    ['10', '80', '100', []],
    ['10', '120.000001', '100', ['realisedAmount']],
    ['10', '79.999999', '100', ['realisedAmount']],
    ['10', '0', '100', ['realisedAmount']],
    ['10', '5000000000', '100', ['realisedAmount']],
    ['10', '1', '0', []], // a difference of 1.00 needs no decision, whatever its share
    ['10', '1.000001', '0', ['realisedAmount']],
    ['10', '1.2', '0.2', []],
    ['10', '0', '1', []],
    ['15', '100', '100', []],
    ['15.01', '100', '100', ['rate']],
    ['4.99', null, null, ['rate']],
    ['15.01', '130', '100', ['rate', 'realisedAmount']],
    ['10', null, null, []],
  ])(
    'of %s %% at a target of 10 with an amount of %s where %s is expected are %j',
    (apy, realised, expected, result) => {
      expect(reasons(apy, realised, expected)).toEqual(result);
    },
  );
});
