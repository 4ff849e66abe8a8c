import { navTable } from './investment-values.repository.js';

// SQL that orders the investments of all users by current value without sorting them all: it merges pieces that an
// index has in that order already, and reads no more of each piece than the page needs.

export type Direction = 'asc' | 'desc';

/** Parameters 1 to 6: status, strategy, user, least amount, instant of creation, NAVs. */
export const FILTER = `
  ($1::text is null or investment.status = $1) and ($2::text is null or investment.strategy_id = $2)
  and ($3::uuid is null or investment.user_id = $3) and ($4::numeric is null or investment.amount >= $4)
  and ($5::timestamptz is null or investment.created_at >= $5)`;
export const NAVS = navTable(6);

/** The paid amount of cancelled investments, spelled as the index has it. */
export const PAID_VALUE = 'coalesce(investment.final_value, investment.amount)';

/** The first rows of the investments that match `condition`, by a column that is indexed together with it. */
function firstRows(value: string, orderBy: string, condition: string, direction: Direction): string {
  return `(select investment.id, ${value} as value from investment where ${condition} and ${FILTER}
            order by ${orderBy} ${direction}, investment.id ${direction} limit $7)`;
}

/**
 * Active investments from the day after their issue on. The value is not rounded, so that investments with equal shown
 * values have one order on all pages. Within a strategy the order of units is the order of values.
 */
function issuedEarlier(direction: Direction): string {
  const condition = `investment.strategy_id = navs.strategy_id and investment.status = 'active'
                  and investment.issued_on < navs.day`;
  return `(select earlier.id, earlier.value from ${NAVS},
           lateral ${firstRows('investment.units * navs.nav', 'investment.units', condition, direction)} as earlier)`;
}

/** Active investments issued today, or tomorrow by the clock of another replica: their value is the principal. */
function issuedToday(direction: Direction): string {
  const condition = `investment.strategy_id = navs.strategy_id and investment.status = 'active'
                  and investment.issued_on = issue.day`;
  return `(select issued.id, issued.value from ${NAVS}, lateral (values (navs.day), (navs.day + 1)) as issue(day),
           lateral ${firstRows('investment.amount', 'investment.amount', condition, direction)} as issued)`;
}

/** A table `ranked(id, value)` with at least the first $7 investments that the filter selects. */
export function rankedByValue(direction: Direction, { activeOnly }: { activeOnly: boolean }): string {
  const inactive = [
    firstRows('investment.amount', 'investment.amount', `investment.status = 'pending'`, direction),
    firstRows(PAID_VALUE, PAID_VALUE, `investment.status = 'cancelled'`, direction),
    firstRows('investment.final_value', 'investment.final_value', `investment.status = 'closed'`, direction),
  ];
  const pieces = [issuedEarlier(direction), issuedToday(direction), ...(activeOnly ? [] : inactive)];
  return `(${pieces.join(' union all ')}) as ranked`;
}
