import { Money } from '../../../common/money.js';
import type { Strategy } from '../../strategies/entities/strategy.entity.js';

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

/** In the order of the strategies. */
export function toOpenPositions(
  rows: readonly PositionRow[],
  strategies: readonly Strategy[],
): OpenPosition[] {
  return strategies.flatMap(({ id, apy }) =>
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
