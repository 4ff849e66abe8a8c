import { LOWEST_ID } from '../../../common/ids.js';
import { MICRO_SCALE } from '../../../common/money.js';
import { creationPeriod, type CreationFilter } from '../../../lists/creation-period.js';
import type { ListPage } from '../../../lists/list-page.js';
import { wasMoved } from '../../../lists/list-rows.js';
import type { NavDay, NavDays } from '../strategies/strategies.types.js';
import { STORED_STATUS, type AdminStatus } from './domain/investment.state-machine.js';

// SQL for the values of investments, which repositories of this and other modules join into their statements.

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

/** Caches the JSON of each day, because nearly every read until midnight has the same days as its parameter. */
const navRows = new WeakMap<NavDay, string>();

function navRow(navDay: NavDay): string {
  const cached = navRows.get(navDay);
  if (cached !== undefined) return cached;
  const { strategyId, day, nav } = navDay;
  const row = JSON.stringify({ strategy_id: strategyId, day, nav: nav.toString() });
  navRows.set(navDay, row);
  return row;
}

/** SQL: whether a user has a pending, active or paused investment. `userId` is SQL, too. */
export function isInvestor(userId: string): string {
  return `exists (select from investment where user_id = ${userId} and status in ('pending', 'active'))`;
}

/**
 * A JSON array of `PositionRow`s: the pending, active and paused investments of the user in parameter 1, summed by
 * strategy at the NAVs in parameter 2. The module balance reads them in one statement with the accounts of the ledger.
 */
export const OPEN_POSITIONS_SQL = `(
  select coalesce(json_agg(position), '[]')
    from (select strategy_id, sum(amount)::text as amount,
                 sum(coalesce(first_principal, amount))::text as first_principal, sum(${VALUE_SQL})::text as value,
                 coalesce(sum(amount) filter (where status = 'pending'), 0)::text as pending
            from investment join ${navTable(2)} using (strategy_id)
           where user_id = $1 and status in ('pending', 'active')
           group by strategy_id) as position)`;

// SQL that orders the investments of all users by current value without sorting them all: it merges index scans that
// return their rows in that order already, and reads no more rows of each than the page needs.

export type Direction = 'asc' | 'desc';

export interface InvestmentFilter extends CreationFilter {
  readonly status?: AdminStatus | undefined;
  readonly strategyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly minAmount?: string | undefined;
}

type FilterParameters = [
  status: string | null,
  strategyId: string | null,
  userId: string | null,
  minAmount: string | null,
  createdFrom: Date | null,
  createdUntil: Date | null,
];

export function filterParameters(filter: InvestmentFilter): FilterParameters {
  const { status, strategyId, userId, minAmount } = filter;
  const { from, until } = creationPeriod(filter);
  return [
    status ? STORED_STATUS[status] : null,
    strategyId ?? null,
    userId ?? null,
    minAmount ?? null,
    from,
    until,
  ];
}

/** Parameters 1 to 6: status, strategy, user, least amount, period of creation. Parameter 7: the NAVs of `FILTER_NAVS`. */
export const SUMMED_FILTER = `
  ($1::text is null or investment.status = $1) and ($2::text is null or investment.strategy_id = $2)
  and ($3::uuid is null or investment.user_id = $3) and ($4::numeric is null or investment.amount >= $4)
  and ($5::timestamptz is null or investment.created_at >= $5) and ($6::timestamptz is null or investment.created_at < $6)`;
/** An investment that was moved is in no list; the sums tell it apart by its status. */
export const INVESTMENT_FILTER = `${SUMMED_FILTER} and not ${wasMoved('investment')}`;
export const FILTER_NAVS = navTable(7);

/** The paid amount of cancelled investments, written as in the index, so that PostgreSQL uses the index. */
export const PAID_VALUE = 'coalesce(investment.final_value, investment.amount)';

/** The first rows after the page's position that match `condition` and the filter, in the order of an index. */
function firstRows(page: ListPage, value: string, orderBy: string, condition: string): string {
  return `(select investment.id, ${value} as value from investment
            where ${condition} and ${SUMMED_FILTER} and ${page.conditionOn([value, 'investment.id'])}
            order by ${orderBy} ${page.direction}, investment.id ${page.direction} ${page.scanLimit})`;
}

/**
 * Active investments issued before today, with the value units × NAV, which is the principal on the day after the issue. The
 * value is not rounded, so that investments with equal shown values have one order on all pages. Within a strategy the order
 * of units is the order of values.
 */
function issuedEarlier(page: ListPage): string {
  const condition = `investment.strategy_id = navs.strategy_id and investment.status = 'active'
                  and investment.issued_on < navs.day and ${unitsBeside(page)}`;
  return `(select earlier.id, earlier.value from ${FILTER_NAVS},
           lateral ${firstRows(page, 'investment.units * navs.nav', 'investment.units', condition)} as earlier)`;
}

const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A condition that follows from the page's position, for the index over units and ids: the units are the value at the position, divided by
 * the NAV. Without the id a page would read all earlier investments with the same units. Where the division is not exact, the condition
 * begins a margin before the position, which is larger than the error.
 */
function unitsBeside(page: ListPage): string {
  const value = page.boundaryOf(0);
  const id = page.boundaryOf(1);
  if (value === undefined) return 'true';
  const isAscending = page.direction === 'asc';
  const operator = isAscending ? '>=' : '<=';
  const units = `${value} / navs.nav`;
  const unitsBefore = `${units} ${isAscending ? '-' : '+'} 0.000001`;
  const idBefore = `'${isAscending ? LOWEST_ID : GREATEST_ID}'::uuid`;
  const ifExact = (exact: string, other: string) =>
    `case when ${units} * navs.nav = ${value} then ${exact} else ${other} end`;
  return `(investment.units, investment.id) ${operator}
          (${ifExact(units, unitsBefore)}, ${ifExact(`${id}`, idBefore)})`;
}

/** Active investments issued today, or tomorrow by the clock of another replica: their value is the principal. */
function issuedToday(page: ListPage): string {
  const condition = `investment.strategy_id = navs.strategy_id and investment.status = 'active'
                  and investment.issued_on = issue.day`;
  return `(select issued.id, issued.value from ${FILTER_NAVS}, lateral (values (navs.day), (navs.day + 1)) as issue(day),
           lateral ${firstRows(page, 'investment.amount', 'investment.amount', condition)} as issued)`;
}

/** A table `ranked(id, value)` with at least the first rows after the page's position that the filter selects. */
export function rankedByValue(page: ListPage, { activeOnly }: { activeOnly: boolean }): string {
  const ofStatus = (value: string, condition: string) => firstRows(page, value, value, condition);
  const inactive = [
    ofStatus('investment.amount', `investment.status = 'pending'`),
    ofStatus(PAID_VALUE, `investment.status = 'cancelled'`),
    ofStatus('investment.final_value', `investment.status = 'closed' and not ${wasMoved('investment')}`),
  ];
  const scans = [issuedEarlier(page), issuedToday(page), ...(activeOnly ? [] : inactive)];
  return `(${scans.join(' union all ')}) as ranked`;
}
