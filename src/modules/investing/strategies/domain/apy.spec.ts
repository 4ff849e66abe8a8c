import fc from 'fast-check';
import { Money } from '../../../../common/money.js';
import { correctionFactor, dailyFactor, targetAfterStart, targetApyOf, type TargetApy } from './apy.js';

const after = (apy: string, stored: TargetApy | undefined, today: string) =>
  targetAfterStart(Money.of(apy), stored, today);
const apysOf = (target: TargetApy, ...days: string[]) =>
  days.map((day) => targetApyOf(target, day).toString());

describe('A target APY', () => {
  const initial = after('10', undefined, '2026-03-01');

  it('counts for every day until it is changed', () => {
    expect(apysOf(initial, '2026-02-01', '2026-03-01', '2027-01-01')).toEqual(['10', '10', '10']);
    expect(after('10.0', initial, '2026-03-05')).toMatchObject({ formerApy: null, apyFrom: null });
  });

  it('counts from the day after its change on, also after later starts without a change', () => {
    const changed = after('12', initial, '2026-03-04');
    expect(apysOf(changed, '2026-03-03', '2026-03-04', '2026-03-05')).toEqual(['10', '10', '12']);
    expect(after('12', changed, '2026-03-04')).toEqual(changed);
    expect(after('12', changed, '2026-04-01')).toEqual(changed);
  });

  it('never counts if it is changed again on the same day', () => {
    const changedTwice = after('15', after('12', initial, '2026-03-04'), '2026-03-04');
    expect(apysOf(changedTwice, '2026-03-04', '2026-03-05')).toEqual(['10', '15']);
  });
});

/** From -90 % to 1,000 % a year. */
const rates = fc
  .integer({ min: -9_000, max: 100_000 })
  .map((hundredths) => Money.of(hundredths.toString()).times(Money.of('0.01')));

/** From -99.99999999 %, the lowest rate that a report can state, to -99.9997 % a year. */
const lowestRates = fc
  .integer({ min: 1, max: 30_000 })
  .map((places) => Money.of('-100').plus(Money.of(places.toString()).times(Money.of('0.00000001'))));

/** The value of one unit after 365 days, rounded to 55 decimals each day. */
function valueAfterAYear(factor: Money): Money {
  let value = Money.of('1');
  for (let day = 0; day < 365; day++) value = value.times(factor).roundHalfEven(55);
  return value;
}

describe('dailyFactor', () => {
  it.each([
    // computed with the logarithm, exp(ln(1.05) / 365), by Python's decimal with 60 digits
    ['5', '1.00013368061711344035'],
    ['10', '1.00026115787606781216'],
    ['20', '1.00049963589095561842'],
  ])('of %s %% a year has the first digits %s', (apy, digits) => {
    expect(dailyFactor(Money.of(apy)).toFixed(20)).toBe(digits);
  });

  it('is one at 0 %', () => {
    expect(dailyFactor(Money.ZERO).equals(Money.of('1'))).toBe(true);
  });

  it('compounds to the yearly rate in 365 days, at forty decimals', () => {
    fc.assert(
      fc.property(rates, (apy) => {
        const exact = Money.of('1').plus(apy.dividedBy(Money.of('100')));
        expect(valueAfterAYear(dailyFactor(apy)).toFixed(40)).toBe(exact.toFixed(40));
      }),
      { numRuns: 40 },
    );
  });

  it('compounds to a yearly rate just above -100 %, where a day loses several percent', () => {
    fc.assert(
      fc.property(lowestRates, (apy) => {
        const exact = Money.of('1').plus(apy.dividedBy(Money.of('100')));
        expect(valueAfterAYear(dailyFactor(apy)).toFixed(40)).toBe(exact.toFixed(40));
      }),
      { numRuns: 200, examples: [[Money.of('-99.99997035')]] }, // at the example Newton's method in `dailyFactor` ends alternating between two values
    );
  });

  it('corrects the lowest rate that a report can state to a high one', () => {
    const [used, achieved] = [Money.of('-99.99999999'), Money.of('100000')];
    const corrected = dailyFactor(used).times(correctionFactor(achieved, used));
    expect(corrected.toFixed(45)).toBe(dailyFactor(achieved).toFixed(45));
  });

  it('of the used rate, times the correction factor, is the daily factor of the achieved rate', () => {
    fc.assert(
      fc.property(rates, rates, (achieved, used) => {
        const corrected = dailyFactor(used).times(correctionFactor(achieved, used));
        expect(corrected.toFixed(45)).toBe(dailyFactor(achieved).toFixed(45));
      }),
    );
  });

  it.each(['-100', '-250'])('rejects a rate of %s %%', (apy) => {
    expect(() => dailyFactor(Money.of(apy))).toThrow('above -100');
  });
});
