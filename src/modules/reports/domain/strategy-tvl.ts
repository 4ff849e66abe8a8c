import { Money } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';
import type { Activity } from './activity.js';

/** The value locked in a strategy at some moment. */
export interface StrategyTvl {
  readonly strategy: Strategy;
  /** Principal of open investments. */
  readonly principal: Money;
  /** The principal and the growth owed to its holders in the ledger. */
  readonly tvl: Money;
}

export function strategyTvlsAt(
  activity: Activity,
  moment: Date,
  strategies: readonly Strategy[],
): StrategyTvl[] {
  return strategies.map((strategy) => {
    const principal = activity.valueAt(moment, 'principal', strategy.id);
    const accrued = activity.valueAt(moment, 'accrued', strategy.id);
    // Without open investments, rounding can leave a millionth in the account, which is owed to no holder.
    return { strategy, principal, tvl: principal.isZero() ? Money.ZERO : principal.plus(accrued) };
  });
}

export function totalTvl(tvls: readonly StrategyTvl[]): Money {
  return Money.sum(tvls.map(({ tvl }) => tvl));
}

/** The mean of the strategies' rates, weighted by their principal; 0 without principal. */
export function weightedRate(tvls: readonly StrategyTvl[], rateOf: (strategy: Strategy) => Money): number {
  const total = Money.sum(tvls.map(({ principal }) => principal));
  if (total.isZero()) return 0;
  const weighted = tvls.map(({ strategy, principal }) => principal.times(rateOf(strategy)));
  return asNumber(Money.sum(weighted).dividedBy(total));
}
