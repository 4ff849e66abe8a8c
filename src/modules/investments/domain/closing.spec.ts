import fc from 'fast-check';
import { addDays, startOfDay } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import { partialClosing, totalFees } from './closing.js';
import { openedInvestment } from './opening.js';
import { priceOf, valueOf } from './valuation.js';

const RATES = { MANAGEMENT_FEE_PERCENT: Money.of('0.50'), PERFORMANCE_FEE_PERCENT: Money.of('10') };
const MADE = '2026-03-02';

/** A strategy's unit is worth `nav` so many days after the investment was made. */
const day = (days: number, nav: string, next = nav) => {
  const on = addDays(MADE, days);
  return { strategyId: 's', day: on, nav: Money.of(nav), next: Money.of(next), at: startOfDay(on) };
};
const made = (amount: Money) => openedInvestment('u', 's', amount, day(0, '1'));

describe('closing a part', () => {
  it.each([
    // 1000 at 1.25 are 1250: 250 are a fifth; 10 % of 50; 200 × 0.50 % × 73 / 365
    [
      'growth',
      '1.25',
      '250',
      { principal: '200.00', growth: '50.00', performance: '5.00', management: '0.20' },
    ],
    // 1000 at 0.8 are 800: 200 are a quarter of it; no share of a loss; 250 × 0.50 % × 73 / 365
    [
      'a loss',
      '0.8',
      '200',
      { principal: '250.00', growth: '-50.00', performance: '0.00', management: '0.25' },
    ],
  ])('takes its share of %s, and pays the fees of that', (_, nav, amount, expected) => {
    const part = partialClosing(made(Money.of('1000')), Money.of(amount), day(73, nav), RATES);
    expect({
      principal: part.principal.toWire(),
      growth: part.growth.toWire(),
      performance: part.fees.performance.toWire(),
      management: part.fees.management.toWire(),
    }).toEqual(expected);
  });

  it('leaves a rest that is worth exactly what was there less the part, however often it is done', () => {
    const micros = (most: bigint) => fc.bigInt(2n, most);
    const money = (value: bigint) => Money.of(value.toString()).dividedBy(Money.of('1000000'));
    fc.assert(
      fc.property(
        micros(1_000_000_000_000n), // up to a million USDC
        fc.bigInt(300_000n, 9_000_000n), // value of a unit: 0.3 to 9
        fc.integer({ min: 0, max: 400 }),
        fc.oneof(fc.constant(1_000_000n), fc.bigInt(300_000n, 1_700_000n)), // how tomorrow's value compares
        fc.array(fc.bigInt(1n, 999_999n), { minLength: 1, maxLength: 8 }),
        (principal, nav, days, change, shares) => {
          let investment = made(money(principal));
          const todays = days < 2 ? Money.of('1') : money(nav);
          const today = day(days, todays.toString(), todays.times(money(change)).toString());
          for (const share of shares) {
            const value = priceOf(investment, today);
            const worth = valueOf(investment, today);
            const amount = value.times(money(share)).roundDown(6);
            if (!amount.isPositive()) return;
            const part = partialClosing(investment, amount, today, RATES);
            const left = part.rest;
            expect(priceOf(left, today).toString()).toBe(value.minus(amount).toString());
            const todaysShare = worth.minus(valueOf(left, today));
            expect(part.forfeited.toString()).toBe(todaysShare.minus(amount).toString());
            expect(part.forfeited.isNegative()).toBe(false);
            expect(left.origin.firstPrincipal.toString()).toBe(left.amount.toString()); // it was not moved
            expect(part.principal.plus(part.growth).toString()).toBe(amount.toString());
            expect([left.amount, left.units].every((some) => some.isPositive())).toBe(true);
            expect(totalFees(part).isMoreThan(amount)).toBe(false);
            investment = left;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
