import type { RiskLevel } from '../../strategies/domain/catalogue.js';
import { assessRisk } from './risk-assessment.js';

describe('the risk of a pending investment', () => {
  it.each([
    ['low', [], 'unknown', null],
    ['low', ['low'], 'low', true],
    ['medium', ['low'], 'low', false],
    ['medium', ['high', 'low'], 'high', true],
    ['high', ['medium', 'low'], 'medium', false],
  ] as [RiskLevel, RiskLevel[], string, boolean | null][])(
    '%s, for who has held %j: %s, %s',
    (strategyRiskLevel, held, userRiskLevel, match) => {
      expect(assessRisk(strategyRiskLevel, held)).toEqual({ userRiskLevel, strategyRiskLevel, match });
    },
  );
});
