import fc from 'fast-check';
import { Money } from '../../../../common/money.js';
import { defaultStrategies } from '../../../../config/strategies-file.js';
import { riskProfile, splitByWeight } from './allocation.js';

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

const RISK_LEVELS = { 'conservative-5': 'low', 'balanced-10': 'medium', 'aggressive-20': 'high' } as const;
const holding = (strategyId: keyof typeof RISK_LEVELS, amount: string) => ({
  strategyId,
  riskLevel: RISK_LEVELS[strategyId],
  amount: Money.of(amount),
});

describe('riskProfile', () => {
  it.each([
    ['no investments', [], null, null, []],
    ['one strategy', [holding('balanced-10', '10.00')], 'medium', 2, ['balanced-10']],
    [
      'mostly the low-risk strategy', // (75 × 1 + 25 × 2) / 100 = 1.25
      [holding('balanced-10', '25.00'), holding('conservative-5', '75.00')],
      'low',
      1.25,
      ['conservative-5', 'balanced-10'],
    ],
    [
      // (50 × 1 + 50.000001 × 2) / 100.000001 = 1.5, rounded; the millionth decides the order of the strategies
      'low risk and medium risk in almost equal parts',
      [holding('conservative-5', '50.00'), holding('balanced-10', '50.000001')],
      'medium',
      1.5,
      ['balanced-10', 'conservative-5'],
    ],
    [
      'three strategies in equal parts', // (1 + 2 + 3) / 3 = 2
      [holding('conservative-5', '9.00'), holding('balanced-10', '9.00'), holding('aggressive-20', '9.00')],
      'medium',
      2,
      ['aggressive-20', 'balanced-10', 'conservative-5'], // equal amounts: by id
    ],
    [
      'mostly the high-risk strategy', // (25 × 1 + 75 × 3) / 100 = 2.5
      [holding('conservative-5', '25.00'), holding('aggressive-20', '75.00')],
      'high',
      2.5,
      ['aggressive-20', 'conservative-5'],
    ],
  ])('weights the risk levels by principal: %s', (_name, holdings, level, score, strategies) => {
    expect(riskProfile(holdings)).toEqual({ level, score, strategies });
  });
});
