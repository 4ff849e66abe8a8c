import { Money } from '../../common/money.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import { asNumber } from '../../common/ratio.js';
import type { Activity } from './activity.js';

/** How a strategy stood at some moment. */
export interface Standing {
  readonly strategy: Strategy;
  /** Principal of open investments. */
  readonly principal: Money;
  /** The principal and the growth owed to its holders, as the ledger has them. */
  readonly tvl: Money;
}

export function standingsBy(activity: Activity, moment: Date, strategies: readonly Strategy[]): Standing[] {
  return strategies.map((strategy) => {
    const principal = activity.by(moment, 'principal', strategy.id);
    const accrued = activity.by(moment, 'accrued', strategy.id);
    // Where nothing is open, a millionth that rounding left in the account is nobody's.
    return { strategy, principal, tvl: principal.isZero() ? Money.ZERO : principal.plus(accrued) };
  });
}

export function totalOf(standings: readonly Standing[]): Money {
  return Money.sum(standings.map(({ tvl }) => tvl));
}

/** Rates of strategies, weighted by the principal in each; 0 where there is none. */
export function weightedRate(standings: readonly Standing[], rateOf: (strategy: Strategy) => Money): number {
  const principal = Money.sum(standings.map((standing) => standing.principal));
  if (principal.isZero()) return 0;
  const weighted = standings.map((standing) => standing.principal.times(rateOf(standing.strategy)));
  return asNumber(Money.sum(weighted).dividedBy(principal));
}
