import { Money } from '../../../common/money.js';
import { riskProfile } from './risk-profile.js';

const holding = (strategyId: string, amount: string) => ({ strategyId, amount: Money.of(amount), active: 1 });

describe('The risk profile', () => {
  it.each([
    ['nothing', [], null, null, []],
    ['one strategy', [holding('balanced-10', '10.00')], 'medium', 2, ['balanced-10']],
    [
      'mostly the careful one', // (75 × 1 + 25 × 2) / 100 = 1.25
      [holding('balanced-10', '25.00'), holding('conservative-5', '75.00')],
      'low',
      1.25,
      ['conservative-5', 'balanced-10'],
    ],
    [
      'half careful, half in the middle', // (50 × 1 + 50 × 2) / 100 = 1.5
      [holding('conservative-5', '50.00'), holding('balanced-10', '50.000001')],
      'medium',
      1.5,
      ['balanced-10', 'conservative-5'],
    ],
    [
      'a third each', // (1 + 2 + 3) / 3 = 2
      [holding('conservative-5', '9.00'), holding('balanced-10', '9.00'), holding('aggressive-20', '9.00')],
      'medium',
      2,
      expect.arrayContaining(['conservative-5', 'balanced-10', 'aggressive-20']),
    ],
    [
      'mostly the bold one', // (25 × 1 + 75 × 3) / 100 = 2.5
      [holding('conservative-5', '25.00'), holding('aggressive-20', '75.00')],
      'high',
      2.5,
      ['aggressive-20', 'conservative-5'],
    ],
  ])('of %s', (_name, holdings, level, score, strategies) => {
    expect(riskProfile(holdings)).toEqual({ level, score, strategies });
  });
});
