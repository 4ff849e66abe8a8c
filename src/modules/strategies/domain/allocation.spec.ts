import fc from 'fast-check';
import { Money } from '../../../common/money.js';
import { CATALOGUE } from './catalogue.js';
import { allocate } from './allocation.js';

const protocols = (...weights: string[]) =>
  weights.map((weight, place) => ({ name: `p${place}`, weight: Money.of(weight) }));

describe('the allocation of an amount', () => {
  it('rounds each share down; the last protocol takes what is left', () => {
    const shares = allocate(Money.of('10.000001'), protocols('33', '33', '34'));
    // 33 % of 10.000001 = 3.30000033 → 3.300000, twice; 10.000001 − 6.600000 = 3.400001
    expect([...shares.values()].map((share) => share.toWire())).toEqual(['3.30', '3.30', '3.400001']);
  });

  it('adds up to the amount, for every strategy and amount', () => {
    const micros = fc.bigInt(0n, 10n ** 12n).map((n) => Money.of(n.toString()).times(Money.of('0.000001')));
    fc.assert(
      fc.property(micros, fc.constantFrom(...CATALOGUE), (amount, strategy) => {
        expect(Money.sum(allocate(amount, strategy.protocols).values()).equals(amount)).toBe(true);
      }),
    );
  });

  it.each(CATALOGUE.map((strategy) => [strategy.id, strategy] as const))(
    'has weights of 100 in all in %s',
    (_id, { protocols }) => {
      expect(Money.sum(protocols.map(({ weight }) => weight)).toString()).toBe('100');
    },
  );
});
