import fc from 'fast-check';
import { Money } from '../../../common/money.js';
import { correctionFactor, dailyFactor } from './daily-factor.js';

const rates = fc
  .integer({ min: -9_000, max: 100_000 })
  .map((hundredths) => Money.of(hundredths.toString()).times(Money.of('0.01')));

/** Exact in fifty-decimal steps: what a year of that factor makes of one. */
function overAYear(factor: Money): Money {
  let value = Money.of('1');
  for (let day = 0; day < 365; day++) value = value.times(factor).roundHalfEven(55);
  return value;
}

describe('the growth of a day', () => {
  it.each([
    // by logarithm instead of root: exp(ln(1.05) / 365) in Python's decimal, 60 digits
    ['5', '1.00013368061711344035'],
    ['10', '1.00026115787606781216'],
    ['20', '1.00049963589095561842'],
  ])('of %s %% a year begins with %s', (apy, digits) => {
    expect(dailyFactor(Money.of(apy)).toFixed(20)).toBe(digits);
  });

  it('does not grow at 0 %', () => {
    expect(dailyFactor(Money.ZERO).equals(Money.of('1'))).toBe(true);
  });

  it('makes the yearly rate in 365 days, to forty decimals', () => {
    fc.assert(
      fc.property(rates, (apy) => {
        const exact = Money.of('1').plus(apy.dividedBy(Money.of('100')));
        expect(overAYear(dailyFactor(apy)).toFixed(40)).toBe(exact.toFixed(40));
      }),
      { numRuns: 40 },
    );
  });

  it('is made up for by a correction: the used rate times it is the achieved one', () => {
    fc.assert(
      fc.property(rates, rates, (achieved, used) => {
        const madeUp = dailyFactor(used).times(correctionFactor(achieved, used));
        expect(madeUp.toFixed(45)).toBe(dailyFactor(achieved).toFixed(45));
      }),
    );
  });

  it.each(['-100', '-250'])('refuses %s %%, which leaves nothing', (apy) => {
    expect(() => dailyFactor(Money.of(apy))).toThrow('above -100');
  });
});
