import { Money } from '../../../../common/money.js';
import { riskProfile } from './risk-profile.js';

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
