import { Money } from '../../../../common/money.js';
import { asNumber } from '../../../../common/ratio.js';
import type { RiskLevel } from '../../../../config/strategies-file.js';

/** A user's active and paused investments in one strategy. */
export interface Holding {
  readonly strategyId: string;
  readonly riskLevel: RiskLevel;
  /** Principal, USDC. */
  readonly amount: Money;
}

/** The risk of a user's active and paused investments; level and score are null without any. */
export interface RiskProfile {
  readonly level: RiskLevel | null;
  readonly score: number | null;
  /** Ids of the strategies, the one with the most principal first. */
  readonly strategies: readonly string[];
}

const POINTS: Record<RiskLevel, Money> = { low: Money.of('1'), medium: Money.of('2'), high: Money.of('3') };
const MEDIUM_FROM = Money.of('1.5');
const HIGH_FROM = Money.of('2.5');

/** The average of the strategies' risk levels (1 low, 2 medium, 3 high), weighted by principal. */
export function riskProfile(holdings: readonly Holding[]): RiskProfile {
  const total = Money.sum(holdings.map(({ amount }) => amount));
  if (total.isZero()) return { level: null, score: null, strategies: [] };
  const points = Money.sum(holdings.map(({ riskLevel, amount }) => amount.times(POINTS[riskLevel])));
  const score = points.dividedBy(total);
  return {
    level: levelOf(score),
    score: asNumber(score),
    strategies: holdings.toSorted(byAmountDescending).map(({ strategyId }) => strategyId),
  };
}

/** Equal amounts are in the order of their strategies' ids. */
function byAmountDescending(a: Holding, b: Holding): number {
  if (a.amount.isLessThan(b.amount)) return 1;
  if (b.amount.isLessThan(a.amount)) return -1;
  return a.strategyId < b.strategyId ? -1 : 1;
}

function levelOf(score: Money): RiskLevel {
  if (score.isLessThan(MEDIUM_FROM)) return 'low';
  return score.isLessThan(HIGH_FROM) ? 'medium' : 'high';
}
