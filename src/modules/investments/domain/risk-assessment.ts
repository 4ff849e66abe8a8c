import type { RiskLevel } from '../../strategies/domain/catalogue.js';

const RISING: readonly RiskLevel[] = ['low', 'medium', 'high'];

export const RISK_LEVELS = RISING;
export const USER_RISK_LEVELS = [...RISING, 'unknown'] as const;

export interface RiskAssessment {
  /** The highest risk that the user has taken before; unknown of who never held an investment. */
  readonly userRiskLevel: (typeof USER_RISK_LEVELS)[number];
  readonly strategyRiskLevel: RiskLevel;
  /** Whether the user has taken as much risk before; null where nothing is known. */
  readonly match: boolean | null;
}

/** Compares the risk of a strategy with those that a user holds or has held: nobody is asked, nothing is invented. */
export function assessRisk(strategyRiskLevel: RiskLevel, held: readonly RiskLevel[]): RiskAssessment {
  const highest = Math.max(...held.map((level) => RISING.indexOf(level)));
  const userRiskLevel = RISING[highest] ?? 'unknown';
  const match = userRiskLevel === 'unknown' ? null : RISING.indexOf(strategyRiskLevel) <= highest;
  return { userRiskLevel, strategyRiskLevel, match };
}
