import fc from 'fast-check';
import { Money } from '../../../../common/money.js';
import { defaultStrategies } from '../../../../config/strategies-file.js';
import { splitByWeight } from './allocation.js';

const protocols = (...weights: string[]) =>
  weights.map((weight, index) => ({ name: `p${index}`, weight: Money.of(weight) }));

describe('splitByWeight', () => {
  it('rounds each share down and gives the remainder to the last protocol', () => {
    const shares = splitByWeight(Money.of('10.000001'), protocols('33', '33', '34'));
    // 33 % of 10.000001 = 3.30000033 → 3.300000, twice; 10.000001 − 6.600000 = 3.400001
    expect([...shares.values()].map((share) => share.toWire())).toEqual(['3.30', '3.30', '3.400001']);
  });

  it('returns shares that add up to the amount, for every default strategy and any amount', () => {
    const micros = fc.bigInt(0n, 10n ** 12n).map((n) => Money.of(n.toString()).times(Money.of('0.000001')));
    fc.assert(
      fc.property(micros, fc.constantFrom(...defaultStrategies()), (amount, strategy) => {
        expect(Money.sum(splitByWeight(amount, strategy.protocols).values()).equals(amount)).toBe(true);
      }),
    );
  });
});
