import { priceTable } from './valuation.js';

// Investments of all users in the order of their current value, without sorting them all: pieces that an index has in
// that order are merged, each no longer than the page needs.

export type Direction = 'asc' | 'desc';

/** Parameters 1 to 6: status, strategy, user, least amount, instant of creation, prices. */
export const FILTER = `
  ($1::text is null or investment.status = $1) and ($2::text is null or investment.strategy_id = $2)
  and ($3::uuid is null or investment.user_id = $3) and ($4::numeric is null or investment.amount >= $4)
  and ($5::timestamptz is null or investment.created_at >= $5)`;
export const PRICES = priceTable(6);

/** What cancelled investments paid, as an index has it. */
export const PAID_VALUE = 'coalesce(investment.final_value, investment.amount)';

/** The first rows of some investments by a column that is indexed beside what `chosen` asks for. */
function first(rank: string, by: string, chosen: string, direction: Direction): string {
  return `(select investment.id, ${rank} as worth from investment where ${chosen} and ${FILTER}
            order by ${by} ${direction}, investment.id ${direction} limit $7)`;
}

/**
 * From the day after their issue on, units times the day's value is the value; before rounding, so that what is
 * shown as equal stays in one order, whatever the page. Of each strategy the order of units is the order of values.
 */
function grown(direction: Direction): string {
  const chosen = `investment.strategy_id = price.strategy_id and investment.status = 'active'
                  and investment.issued_on < price.day`;
  return `(select grown.id, grown.worth from ${PRICES},
           lateral ${first('investment.units * price.nav', 'investment.units', chosen, direction)} as grown)`;
}

/** Issued today, or tomorrow already by another replica's clock: worth the principal. */
function issuedToday(direction: Direction): string {
  const chosen = `investment.strategy_id = price.strategy_id and investment.status = 'active'
                  and investment.issued_on = issue.day`;
  return `(select issued.id, issued.worth from ${PRICES}, lateral (values (price.day), (price.day + 1)) as issue(day),
           lateral ${first('investment.amount', 'investment.amount', chosen, direction)} as issued)`;
}

/** A table `ranked(id, worth)` of at least the first $7 that the filter selects. */
export function rankedByValue(direction: Direction, { activeOnly }: { activeOnly: boolean }): string {
  const byAmount = (status: string) =>
    first('investment.amount', 'investment.amount', `investment.status = '${status}'`, direction);
  const others = [
    byAmount('pending'),
    first(PAID_VALUE, PAID_VALUE, `investment.status = 'cancelled'`, direction),
    first('investment.final_value', 'investment.final_value', `investment.status = 'closed'`, direction),
  ];
  const pieces = [grown(direction), issuedToday(direction), ...(activeOnly ? [] : others)];
  return `(${pieces.join(' union all ')}) as ranked`;
}
