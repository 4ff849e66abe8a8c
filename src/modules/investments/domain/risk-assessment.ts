import { RISK_LEVELS, type RiskLevel } from '../../../config/strategies-file.js';

export const USER_RISK_LEVELS = [...RISK_LEVELS, 'unknown'] as const;

export interface RiskAssessment {
  /** The highest risk that the user has taken before; unknown for a user who never held an investment. */
  readonly userRiskLevel: (typeof USER_RISK_LEVELS)[number];
  readonly strategyRiskLevel: RiskLevel;
  /** Whether the user has taken as much risk before; null if the user's level is unknown. */
  readonly match: boolean | null;
}

/** Compares the risk of a strategy with the risk levels of the strategies that a user holds or has held. */
export function assessRisk(strategyRiskLevel: RiskLevel, held: readonly RiskLevel[]): RiskAssessment {
  const highest = Math.max(...held.map((level) => RISK_LEVELS.indexOf(level)));
  const userRiskLevel = RISK_LEVELS[highest] ?? 'unknown';
  const match = userRiskLevel === 'unknown' ? null : RISK_LEVELS.indexOf(strategyRiskLevel) <= highest;
  return { userRiskLevel, strategyRiskLevel, match };
}
