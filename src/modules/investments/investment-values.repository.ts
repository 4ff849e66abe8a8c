import { MICRO_SCALE } from '../../common/money.js';
import type { NavDay, NavDays } from '../strategies/strategies.types.js';

// SQL for the values of investments. Repositories of balances and user lists join it into their own statements.

/** `valueOf` of domain/valuation.ts in SQL, over the table `investment` and the table `navs` (`navTable`). */
export const VALUE_SQL = `coalesce(investment.final_value,
  case when investment.status = 'active' and navs.day >= investment.issued_on + 2
       then round_half_even(investment.units * navs.nav, ${MICRO_SCALE}) else investment.amount end)`;

/** NAVs of a day as a table `navs(strategy_id, day, nav)`, read from a parameter that `navTableParameter` builds. */
export function navTable(parameter: number): string {
  return `jsonb_to_recordset($${parameter}::jsonb) as navs(strategy_id text, day date, nav numeric)`;
}

export function navTableParameter(days: NavDays): string {
  return `[${Array.from(days.values(), navRow).join()}]`;
}

/** The same days are the parameter of nearly every read until midnight. */
const navRows = new WeakMap<NavDay, string>();

function navRow(navDay: NavDay): string {
  const known = navRows.get(navDay);
  if (known !== undefined) return known;
  const { strategyId, day, nav } = navDay;
  const row = JSON.stringify({ strategy_id: strategyId, day, nav: nav.toString() });
  navRows.set(navDay, row);
  return row;
}

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
