import type { Money } from '../../../../common/money.js';

/** The id of the strategy with the highest value, of equal ones the first; null if none has any. */
export function topStrategy(values: readonly { strategyId: string; value: Money }[]): string | null {
  let top: (typeof values)[number] | undefined;
  for (const candidate of values)
    if (candidate.value.isPositive() && (!top || top.value.isLessThan(candidate.value))) top = candidate;
  return top?.strategyId ?? null;
}
