import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { HUNDRED, asNumber } from '../../../../common/ratio.js';
import type { RiskLevel } from '../../../../config/strategies-file.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';

/**
 * Splits an amount by the weights of protocols, which are percentages. Shares are rounded down, and the last protocol gets
 * the remainder, so that the shares add up to the amount.
 */
export function splitByWeight(amount: Money, protocols: Strategy['protocols']): Map<string, Money> {
  const shares = new Map<string, Money>();
  let left = amount;
  protocols.forEach(({ name, weight }, index) => {
    const isLast = index === protocols.length - 1;
    const share = isLast ? left : amount.times(weight).dividedBy(HUNDRED).roundDown(MICRO_SCALE);
    shares.set(name, share);
    left = left.minus(share);
  });
  return shares;
}

/** The id of the strategy with the highest value, the first of several with equal values; null if no value is above zero. */
export function topStrategy(values: readonly { strategyId: string; value: Money }[]): string | null {
  let top: (typeof values)[number] | undefined;
  for (const candidate of values)
    if (candidate.value.isPositive() && (!top || top.value.isLessThan(candidate.value))) top = candidate;
  return top?.strategyId ?? null;
}

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
