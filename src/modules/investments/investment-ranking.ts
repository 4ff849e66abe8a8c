import { priceTable } from './investment-value.js';
import type { InvestmentStatus } from './investment.transitions.js';

// Investments of all users in the order of their current value, without sorting them all: pieces that an index has in
// that order are merged, each no longer than the page needs.

export type Direction = 'asc' | 'desc';

/** Parameters 1 to 6: status, strategy, user, least amount, instant of creation, prices. */
export const FILTER = `
  ($1::text is null or investment.status = $1) and ($2::text is null or investment.strategy_id = $2)
  and ($3::uuid is null or investment.user_id = $3) and ($4::numeric is null or investment.amount >= $4)
  and ($5::timestamptz is null or investment.created_at >= $5)`;
export const PRICES = priceTable(6);

interface Piece {
  readonly status: InvestmentStatus;
  readonly sql: (direction: Direction) => string;
}

/** The first rows of some investments by a column that is indexed beside what `chosen` asks for. */
function first(rank: string, by: string, chosen: string, direction: Direction): string {
  return `select investment.id, ${rank} as worth from investment where ${chosen} and ${FILTER}
           order by ${by} ${direction}, investment.id ${direction} limit $7`;
}

const PIECES: readonly Piece[] = [
  {
    // From the day after their issue on, units times the day's value is the value (D24); before rounding, so that
    // what is shown as equal stays in one order, whatever the page.
    status: 'active',
    sql: (direction) => `select ranked.id, ranked.worth from ${PRICES}, lateral (
      ${first(
        'investment.units * price.nav',
        'investment.units',
        `investment.strategy_id = price.strategy_id and investment.status = 'active'
         and investment.issued_on < price.day`,
        direction,
      )}) as ranked`,
  },
  {
    // Issued today, or tomorrow already by another replica's clock: worth its principal.
    status: 'active',
    sql: (direction) => `select ranked.id, ranked.worth
      from ${PRICES}, lateral (values (price.day), (price.day + 1)) as issue(day), lateral (
      ${first(
        'investment.amount',
        'investment.amount',
        `investment.strategy_id = price.strategy_id and investment.status = 'active'
         and investment.issued_on = issue.day`,
        direction,
      )}) as ranked`,
  },
  ...(['pending', 'cancelled'] as const).map((status) => ({
    status,
    sql: (direction: Direction) =>
      first('investment.amount', 'investment.amount', `investment.status = '${status}'`, direction),
  })),
  {
    status: 'closed',
    sql: (direction) =>
      first('investment.final_value', 'investment.final_value', `investment.status = 'closed'`, direction),
  },
];

/** A table `ranked(id, worth)` of at least the first $7 that the filter selects. */
export function rankedByValue(status: InvestmentStatus | undefined, direction: Direction): string {
  const pieces = PIECES.filter((piece) => status === undefined || piece.status === status);
  return `(${pieces.map(({ sql }) => `(${sql(direction)})`).join(' union all ')}) as ranked`;
}
