import { Money } from '../../../common/money.js';
import type { StrategiesService } from '../../strategies/strategies.service.js';
import { navTable, VALUE_SQL } from './valuation.js';

/** The sum of a user's open investments in one strategy. */
export interface OpenPosition {
  readonly strategyId: string;
  /** Principal, USDC. */
  readonly amount: Money;
  /** Growth included, USDC. */
  readonly currentValue: Money;
  /** Target, percent a year. */
  readonly apy: Money;
}

/** As the driver returns it: money is text. */
export type PositionRow = Record<'strategy_id' | 'amount' | 'value', string>;

/**
 * A JSON array of `PositionRow`s: the pending, active and paused investments of the user in parameter 1, summed by
 * strategy at the NAVs in parameter 2. The balance reads it in one statement with the ledger.
 */
export const OPEN_POSITIONS_SQL = `(
  select coalesce(json_agg(position), '[]')
    from (select strategy_id, sum(amount)::text as amount, sum(${VALUE_SQL})::text as value
            from investment join ${navTable(2)} using (strategy_id)
           where user_id = $1 and status in ('pending', 'active')
           group by strategy_id) as position)`;

/** in the order of STRATEGIES_FILE. */
export function toOpenPositions(rows: readonly PositionRow[], strategies: StrategiesService): OpenPosition[] {
  return strategies.all.flatMap(({ id, apy }) =>
    rows
      .filter((row) => row.strategy_id === id)
      .map(({ amount, value }) => ({
        strategyId: id,
        amount: Money.of(amount),
        currentValue: Money.of(value),
        apy,
      })),
  );
}
