import { Money } from '../../../common/money.js';
import type { StrategiesService } from '../../strategies/strategies.service.js';
import { priceTable, VALUE_SQL } from './valuation.js';

/** A user's open investments of one strategy, together. */
export interface OpenPosition {
  readonly strategyId: string;
  /** Principal, USDC. */
  readonly amount: Money;
  /** Growth included, USDC. */
  readonly currentValue: Money;
  /** Target, percent a year. */
  readonly apy: Money;
}

/** As the driver has it: money is text. */
export type PositionRow = Record<'strategy_id' | 'amount' | 'value', string>;

/**
 * Pending, active and paused investments summed by strategy, as one JSON value of `PositionRow`s: of the user of
 * the first parameter, at the prices of the second.
 */
export const OPEN_POSITIONS_SQL = `(
  select coalesce(json_agg(position), '[]')
    from (select strategy_id, sum(amount)::text as amount, sum(${VALUE_SQL})::text as value
            from investment join ${priceTable(2)} using (strategy_id)
           where user_id = $1 and status in ('pending', 'active')
           group by strategy_id) as position)`;

/** In the order of the catalogue. */
export function openPositions(rows: readonly PositionRow[], strategies: StrategiesService): OpenPosition[] {
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
