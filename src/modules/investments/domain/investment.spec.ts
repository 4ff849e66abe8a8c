import type { RiskLevel } from '../../../config/strategies-file.js';
import { assessRisk } from './investment.js';

describe('assessRisk', () => {
  it.each([
    ['low', [], 'unknown', null],
    ['low', ['low'], 'low', true],
    ['medium', ['low'], 'low', false],
    ['medium', ['high', 'low'], 'high', true],
    ['high', ['medium', 'low'], 'medium', false],
  ] as [RiskLevel, RiskLevel[], string, boolean | null][])(
    'compares a strategy of risk %s with held strategies of risks %j: the user risk is %s, the match is %s',
    (strategyRiskLevel, held, userRiskLevel, match) => {
      expect(assessRisk(strategyRiskLevel, held)).toEqual({ userRiskLevel, strategyRiskLevel, match });
    },
  );
});
