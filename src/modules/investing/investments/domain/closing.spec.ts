import fc from 'fast-check';
import { Money } from '../../../../common/money.js';
import { addDays, startOfDay } from '../../../../common/days.js';
import { closingFees, partialClosing, planCancellation, totalFees, wholeClosing } from './closing.js';
import { openInvestment, originOf } from './investment.js';
import { priceOf, valueOf } from './valuation.js';

const CREATED_AT = new Date('2026-03-02T23:00:00Z');

/** The management, performance and carried fees of closing `amount` at `price`; the rates are in percent. */
function feesAt(
  amount: string,
  price: string,
  at: string,
  management = '0.50',
  performance = '0',
  carried = '0',
) {
  const carriedFees = { carriedFees: Money.of(carried), carriedPerformanceFees: Money.of(carried) };
  const investment = { amount: Money.of(amount), createdAt: CREATED_AT, ...carriedFees };
  const rates = {
    MANAGEMENT_FEE_PERCENT: Money.of(management),
    PERFORMANCE_FEE_PERCENT: Money.of(performance),
  };
  const due = closingFees(investment, Money.of(price), new Date(at), rates);
  return [due.management.toWire(), due.performance.toWire(), due.carried.toWire()];
}

describe('closingFees', () => {
  it.each([
    ['2026-03-02T23:59:59Z', '0.00'], // the same calendar day
    ['2026-03-03T00:00:00Z', '0.013698'], // 1000 × 0.50 % × 1 / 365 = 0.01369863…, rounded down
    ['2026-03-31T00:00:00Z', '0.397260'], // 1000 × 0.50 % × 29 / 365 = 0.39726027…
    ['2027-03-02T00:00:00Z', '5.00'], // 1000 × 0.50 % × 365 / 365
  ])('charges the management fee by calendar days: at %s it is %s', (at, due) => {
    expect(feesAt('1000', '1100', at)[0]).toBe(Money.of(due).toWire());
  });

  it('charges the performance fee as a share of growth, and none for a loss', () => {
    // 20 % of (1100.000009 − 1000) = 20.0000018, rounded down
    expect(feesAt('1000', '1100.000009', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('20.000001');
    expect(feesAt('1000', '900', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('0.00');
  });

  it('never charges more than the price', () => {
    // price 3; management 1000 × 0.50 % = 5, of which 3 are charged
    expect(feesAt('1000', '3', '2027-03-02T00:00:00Z')).toEqual(['3.00', '0.00', '0.00']);
    // price 1100; management 1000 × 105 % = 1050; performance 100 % of 100, of which 1100 − 1050 = 50 are charged
    expect(feesAt('1000', '1100', '2027-03-02T00:00:00Z', '105', '100')).toEqual([
      '1050.00',
      '50.00',
      '0.00',
    ]);
    // price 7; management 1000 × 0.50 % = 5; carried fees 7, of which 7 − 5 = 2 are charged
    expect(feesAt('1000', '7', '2027-03-02T00:00:00Z', '0.50', '0', '7')).toEqual(['5.00', '0.00', '2.00']);
  });
});

const RATES = { MANAGEMENT_FEE_PERCENT: Money.of('0.50'), PERFORMANCE_FEE_PERCENT: Money.of('10') };
const CREATED_ON = '2026-03-02';

/** The day that is `days` after the creation of the investment, with the value of a unit on it and on the next day. */
const dayAfter = (days: number, nav: string, next = nav) => {
  const day = addDays(CREATED_ON, days);
  return { strategyId: 's', day, nav: Money.of(nav), next: Money.of(next), at: startOfDay(day) };
};
const investmentOf = (amount: Money) => openInvestment('u', 's', amount, dayAfter(0, '1'));

// Columns: title, first principal, principal and price; expected: paid, growth, takenBack and forfeited.
// Sums of each row: paid = principal + growth − takenBack; price = principal + growth + forfeited.
describe('planCancellation', () => {
  it.each([
    ['has a loss in the present leg', '100', '110', '105', ['100.00', '-5.00', '5.00', '0.00']],
    ['has growth in both legs', '100', '110', '115', ['100.00', '0.00', '10.00', '5.00']],
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
      const investment = { ...investmentOf(Money.of(principal)), firstPrincipal: Money.of(firstPrincipal) };
      const nav = Money.of(price).dividedBy(Money.of(principal)).toString();
      const { paid, growth, takenBack, forfeited } = planCancellation(investment, dayAfter(73, nav));
      expect([paid, growth, takenBack, forfeited].map((money) => money.toWire())).toEqual(expected);
    },
  );

  // 1000 at 10 % a year: growth of one day 0.261158. Fee: 1000 × 0.50 % × days / 365, rounded down.
  // Columns: title, days since the creation, value of a unit; expected: paid by cancelling and by closing.
  it.each([
    ['on the day of creation', 0, '1', '1000.00', '1000.00'],
    ['on the day after, which has no growth: fee 0.013698', 1, '1', '1000.00', '999.986302'],
    ['with growth of one day above the fee of 0.027397', 2, '1.000261158', '1000.00', '1000.233761'],
    ['with the same growth after a suspension: fee 0.260273', 19, '1.000261158', '1000.00', '1000.000885'],
    ['on the day on which the fee of 0.273972 exceeds it', 20, '1.000261158', '1000.00', '999.987186'],
    ['with a loss: fee 1.00', 73, '0.99', '990.00', '989.00'],
  ])('charges no fee, unlike closing, %s', (_, days, nav, cancelled, closed) => {
    const investment = investmentOf(Money.of('1000'));
    const today = dayAfter(days, nav);
    const closing = wholeClosing(investment, today, { ...RATES, PERFORMANCE_FEE_PERCENT: Money.ZERO });
    expect({
      cancelled: planCancellation(investment, today).paid.toWire(),
      closed: closing.price.minus(totalFees(closing)).toWire(),
    }).toEqual({ cancelled, closed });
  });

  it('pays more than closing only if the growth is below the fees, and never more than the price', () => {
    const money = (micros: bigint) => Money.of(micros.toString()).dividedBy(Money.of('1000000'));
    fc.assert(
      fc.property(
        fc.bigInt(2n, 1_000_000_000_000n), // principal: up to a million USDC, in millionths
        fc.oneof(fc.bigInt(300_000n, 3_000_000n), fc.bigInt(999_000n, 1_010_000n)), // value of a unit, in millionths
        fc.integer({ min: 2, max: 4_000 }), // days since the creation
        (principal, nav, days) => {
          const investment = investmentOf(money(principal));
          const today = dayAfter(days, money(nav).toString());
          const closing = wholeClosing(investment, today, RATES);
          const closed = closing.price.minus(totalFees(closing));
          const { paid } = planCancellation(investment, today);
          expect(paid.isMoreThan(closing.price)).toBe(false);
          const growth = Money.max(closing.growth, Money.ZERO);
          expect(paid.isMoreThan(closed)).toBe(totalFees(closing).isMoreThan(growth));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('partialClosing', () => {
  it.each([
    // price 1000 × 1.25 = 1250; principal 1000 × 250 / 1250 = 200; growth 250 − 200 = 50;
    // performance 10 % of 50 = 5; management 200 × 0.50 % × 73 / 365 = 0.20
    [
      'growth',
      '1.25',
      '250',
      { principal: '200.00', growth: '50.00', performance: '5.00', management: '0.20' },
    ],
    // price 1000 × 0.8 = 800; principal 1000 × 200 / 800 = 250; growth 200 − 250 = −50;
    // no performance fee of a loss; management 250 × 0.50 % × 73 / 365 = 0.25
    [
      'a loss',
      '0.8',
      '200',
      { principal: '250.00', growth: '-50.00', performance: '0.00', management: '0.25' },
    ],
  ])(
    'redeems principal with its share of %s and charges the fees of the part',
    (_, nav, amount, expected) => {
      const part = partialClosing(investmentOf(Money.of('1000')), Money.of(amount), dayAfter(73, nav), RATES);
      expect({
        principal: part.principal.toWire(),
        growth: part.growth.toWire(),
        performance: part.fees.performance.toWire(),
        management: part.fees.management.toWire(),
      }).toEqual(expected);
    },
  );

  it('reduces the price by exactly the amount and forfeits the rest of the redeemed value, in each of several closings', () => {
    const money = (micros: bigint) => Money.of(micros.toString()).dividedBy(Money.of('1000000'));
    fc.assert(
      fc.property(
        fc.bigInt(2n, 1_000_000_000_000n), // principal: up to a million USDC, in millionths
        fc.bigInt(300_000n, 9_000_000n), // value of a unit: 0.3 to 9, in millionths
        fc.integer({ min: 0, max: 400 }), // days since the creation
        fc.oneof(fc.constant(1_000_000n), fc.bigInt(300_000n, 1_700_000n)), // tomorrow's value in millionths of today's
        fc.array(fc.bigInt(1n, 999_999n), { minLength: 1, maxLength: 8 }), // parts to close, in millionths of the price
        (principal, nav, days, change, shares) => {
          let investment = investmentOf(money(principal));
          // The units were issued at 1, which is their value until the second midnight.
          const navToday = days < 2 ? Money.of('1') : money(nav);
          const today = dayAfter(days, navToday.toString(), navToday.times(money(change)).toString());
          for (const share of shares) {
            const price = priceOf(investment, today);
            const value = valueOf(investment, today);
            const amount = price.times(money(share)).roundDown(6);
            if (!amount.isPositive()) return;
            const part = partialClosing(investment, amount, today, RATES);
            const { remaining } = part;
            expect(priceOf(remaining, today).toString()).toBe(price.minus(amount).toString());
            const shareOfValue = value.minus(valueOf(remaining, today));
            expect(part.forfeited.toString()).toBe(shareOfValue.minus(amount).toString());
            expect(part.forfeited.isNegative()).toBe(false);
            expect(originOf(remaining).firstPrincipal.toString()).toBe(remaining.amount.toString()); // not moved
            expect(part.principal.plus(part.growth).toString()).toBe(amount.toString());
            expect([remaining.amount, remaining.units].every((quantity) => quantity.isPositive())).toBe(true);
            expect(totalFees(part).isMoreThan(amount)).toBe(false);
            investment = remaining;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
