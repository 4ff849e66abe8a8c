import { Money } from '../../../../common/money.js';
import { profitAndLossOf, RESULT_KINDS } from './books.js';

describe('Profit and loss', () => {
  it.each(RESULT_KINDS)('has the changes of accounts of the kind %s in one of its figures', (kind) => {
    const change = { kind, scope: '', asset: 'USDC', opening: Money.of('1'), closing: Money.of('8') };
    const { income, expense, result } = profitAndLossOf([change]);
    expect(result.toWire()).toBe('7.00');
    expect(
      Money.sum(Object.values(income))
        .minus(Money.sum(Object.values(expense)))
        .toWire(),
    ).toBe('7.00');
  });
});
