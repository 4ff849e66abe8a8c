import { MICRO_SCALE, Money } from '../../../../common/money.js';
import { HUNDRED } from '../../../../common/ratio.js';
import type { Strategy } from '../entities/strategy.entity.js';

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
