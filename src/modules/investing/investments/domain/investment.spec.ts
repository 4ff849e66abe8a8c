import type { RiskLevel } from '../../../../config/strategies-file.js';
import { assessRisk } from './investment.js';

describe('assessRisk', () => {
  it.each([
    ['low', null, 'unknown', null],
    ['low', 'low', 'low', true],
    ['medium', 'low', 'low', false],
    ['medium', 'high', 'high', true],
    ['high', 'medium', 'medium', false],
  ] as [RiskLevel, RiskLevel | null, string, boolean | null][])(
    'compares a strategy of risk %s with a risk profile of level %s: the user risk is %s, the match is %s',
    (strategyRiskLevel, level, userRiskLevel, match) => {
      expect(assessRisk(strategyRiskLevel, level)).toEqual({ userRiskLevel, strategyRiskLevel, match });
    },
  );
});
