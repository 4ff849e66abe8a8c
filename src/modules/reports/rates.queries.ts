import type { Snapshot } from '../../database/snapshots.js';
import { addDays, dayOf } from '../../common/days.js';
import { Money } from '../../common/money.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import type { Window } from './periods.js';

/**
 * The mean of the yearly rates that a strategy's days grew at, of the UTC days that a window touches; the target
 * where none of them has a value. A day's rate stands with the value that it led to, the next day's.
 */
export async function meanRates(
  snapshot: Snapshot,
  { from, to }: Window,
): Promise<(strategy: Strategy) => Money> {
  const lastDay = dayOf(new Date(to.getTime() - 1));
  const rows = await snapshot.query<{ strategy_id: string; apy: string }>(
    `select strategy_id, avg(apy) as apy from strategy_nav
      where source <> 'first' and day > $1::date and day <= $2::date group by strategy_id`,
    [dayOf(from), addDays(lastDay, 1)],
  );
  const means = new Map(rows.map((row) => [row.strategy_id, Money.of(row.apy)]));
  return (strategy) => means.get(strategy.id) ?? strategy.apy;
}
