import { Money } from '../../../common/money.js';
import { closingFees } from './fees.js';

const CREATED = new Date('2026-03-02T23:00:00Z');

function fees(
  amount: string,
  value: string,
  at: string,
  management = '0.50',
  performance = '0',
  carried = '0',
) {
  const origin = { carriedFees: Money.of(carried), carriedPerformanceFees: Money.of(carried) };
  const investment = { amount: Money.of(amount), createdAt: CREATED, origin };
  const rates = {
    MANAGEMENT_FEE_PERCENT: Money.of(management),
    PERFORMANCE_FEE_PERCENT: Money.of(performance),
  };
  const due = closingFees(investment, Money.of(value), new Date(at), rates);
  return [due.management.toWire(), due.performance.toWire(), due.carried.toWire()];
}

describe('fees of closing', () => {
  it.each([
    ['2026-03-02T23:59:59Z', '0.00'], // the same calendar day
    ['2026-03-03T00:00:00Z', '0.013698'], // 1000 × 0.50 % × 1 / 365 = 0.01369863…, rounded down
    ['2026-03-31T00:00:00Z', '0.397260'], // × 29 / 365 = 0.39726027…
    ['2027-03-02T00:00:00Z', '5.00'], // × 365 / 365
  ])('are by calendar days: closed at %s they are %s', (at, due) => {
    expect(fees('1000', '1100', at)[0]).toBe(Money.of(due).toWire());
  });

  it('take a share of growth, and none of a loss', () => {
    // 20 % of 1100.000009 − 1000 = 20.0000018, rounded down
    expect(fees('1000', '1100.000009', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('20.000001');
    expect(fees('1000', '900', '2026-03-02T23:30:00Z', '0.50', '20')[1]).toBe('0.00');
  });

  it('are never more than there is', () => {
    expect(fees('1000', '3', '2027-03-02T00:00:00Z')).toEqual(['3.00', '0.00', '0.00']);
    // value 1100, management 1000 × 105 % = 1050; performance 100 % of 100, of which 50 is left
    expect(fees('1000', '1100', '2027-03-02T00:00:00Z', '105', '100')).toEqual(['1050.00', '50.00', '0.00']);
    // 1000 × 0.50 % are 5, and of 7 carried over 2 are left
    expect(fees('1000', '7', '2027-03-02T00:00:00Z', '0.50', '0', '7')).toEqual(['5.00', '0.00', '2.00']);
  });
});
