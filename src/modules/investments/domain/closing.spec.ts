import fc from 'fast-check';
import { Money } from '../../../common/money.js';
import { addDays, startOfDay } from '../../../common/days.js';
import { closingFees, partialClosing, planCancellation, totalFees } from './closing.js';
import { openInvestment, originOf } from './investment.js';
import { priceOf, valueOf } from './valuation.js';

const CREATED = new Date('2026-03-02T23:00:00Z');

function fees(
  amount: string,
  price: string,
  at: string,
  management = '0.50',
  performance = '0',
  carried = '0',
) {
  const carriedFees = { carriedFees: Money.of(carried), carriedPerformanceFees: Money.of(carried) };
  const investment = { amount: Money.of(amount), createdAt: CREATED, ...carriedFees };
  const rates = {
    MANAGEMENT_FEE_PERCENT: Money.of(management),
    PERFORMANCE_FEE_PERCENT: Money.of(performance),
  };
  const due = closingFees(investment, Money.of(price), new Date(at), rates);
  return [due.management.toWire(), due.performance.toWire(), due.carried.toWire()];
}

describe('fees of closing', () => {
  it.each([
    ['2026-03-02T23:59:59Z', '0.00'], // the same calendar day
    ['2026-03-03T00:00:00Z', '0.013698'], // 1000 × 0.50 % × 1 / 365 = 0.01369863…, rounded down
    ['2026-03-31T00:00:00Z', '0.397260'], // × 29 / 365 = 0.39726027…
    ['2027-03-02T00:00:00Z', '5.00'], // × 365 / 365
  ])('count calendar days: at %s they are %s', (at, due) => {
    expect(fees('1000', '1100', at)[0]).toBe(Money.of(due).toWire());
  });

  it('are a share of growth, and zero for a loss', () => {
    // 20 % of 1100.000009 − 1000 = 20.0000018, rounded down
    expect(fees('1000', '1100.000009', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('20.000001');
    expect(fees('1000', '900', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('0.00');
  });

  it('never exceed the price', () => {
    expect(fees('1000', '3', '2027-03-02T00:00:00Z')).toEqual(['3.00', '0.00', '0.00']);
    // price 1100, management 1000 × 105 % = 1050; performance 100 % of 100, of which 50 is left
    expect(fees('1000', '1100', '2027-03-02T00:00:00Z', '105', '100')).toEqual(['1050.00', '50.00', '0.00']);
    // 1000 × 0.50 % are 5, and of 7 carried over 2 are left
    expect(fees('1000', '7', '2027-03-02T00:00:00Z', '0.50', '0', '7')).toEqual(['5.00', '0.00', '2.00']);
  });
});

const RATES = { MANAGEMENT_FEE_PERCENT: Money.of('0.50'), PERFORMANCE_FEE_PERCENT: Money.of('10') };
const MADE = '2026-03-02';

/** A strategy's unit is worth `nav` so many days after the investment was made. */
const day = (days: number, nav: string, next = nav) => {
  const on = addDays(MADE, days);
  return { strategyId: 's', day: on, nav: Money.of(nav), next: Money.of(next), at: startOfDay(on) };
};
const made = (amount: Money) => openInvestment('u', 's', amount, day(0, '1'));

describe('planCancellation', () => {
  it.each([
    ['has a loss of the present leg', '100', '110', '105', ['100.00', '-5.00', '5.00', '0.00']],
    ['has growth of both legs', '100', '110', '115', ['100.00', '0.00', '10.00', '5.00']],
    [
      'has growth that makes up for a loss of an earlier leg',
      '120',
      '110',
      '115',
      ['115.00', '5.00', '0.00', '0.00'],
    ],
    ['has more growth than an earlier leg lost', '120', '110', '130', ['120.00', '10.00', '0.00', '10.00']],
  ])(
    'pays at most the first principal if the investment %s',
    (_, firstPrincipal, principal, price, expected) => {
      const investment = { ...made(Money.of(principal)), firstPrincipal: Money.of(firstPrincipal) };
      const nav = Money.of(price).dividedBy(Money.of(principal)).toString();
      const { paid, growth, takenBack, forfeited } = planCancellation(investment, day(73, nav));
      expect([paid, growth, takenBack, forfeited].map((money) => money.toWire())).toEqual(expected);
    },
  );
});

describe('partialClosing', () => {
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
  ])('takes its share of %s and pays the fees of that share', (_, nav, amount, expected) => {
    const part = partialClosing(made(Money.of('1000')), Money.of(amount), day(73, nav), RATES);
    expect({
      principal: part.principal.toWire(),
      growth: part.growth.toWire(),
      performance: part.fees.performance.toWire(),
      management: part.fees.management.toWire(),
    }).toEqual(expected);
  });

  it('leaves a rest whose price is exactly the price before less the part, after any number of partial closings', () => {
    const micros = (most: bigint) => fc.bigInt(2n, most);
    const money = (value: bigint) => Money.of(value.toString()).dividedBy(Money.of('1000000'));
    fc.assert(
      fc.property(
        micros(1_000_000_000_000n), // up to a million USDC
        fc.bigInt(300_000n, 9_000_000n), // value of a unit: 0.3 to 9
        fc.integer({ min: 0, max: 400 }),
        fc.oneof(fc.constant(1_000_000n), fc.bigInt(300_000n, 1_700_000n)), // tomorrow's value relative to today's
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
            expect(originOf(left).firstPrincipal.toString()).toBe(left.amount.toString()); // it was not moved
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
