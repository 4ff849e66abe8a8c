import { addDays, startOfDay } from '../../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { NavDay } from '../../strategies/navs.repository.js';
import type { NavDays } from '../../strategies/navs.service.js';
import type { Investment } from '../investment.row.js';

// What an investment is worth on a day. Once in the program and once in SQL for sums over many; a test holds
// the two together.

/** Units that a principal buys on a day: it earns from the day after, so it buys at that day's value. */
export function unitsFor(amount: Money, day: NavDay): Money {
  return amount.dividedBy(day.next).roundHalfEven(UNIT_SCALE);
}

/** Current value in USDC; of what has ended, what it was priced at then. */
export function valueOf(investment: Investment, day: NavDay): Money {
  const { status, amount, units, issuedOn, finalValue } = investment;
  if (finalValue) return finalValue;
  const grows = status === 'active' && issuedOn !== null && day.day >= firstGrowth(issuedOn);
  return grows ? units.times(day.nav).roundHalfEven(MICRO_SCALE) : amount;
}

/**
 * What an investment is redeemed at: today's value or the one that is already published for tomorrow, whichever is
 * lower, so that no redemption takes place between the publication of a loss and its effect.
 */
export function priceOf(investment: Investment, day: NavDay): Money {
  const tomorrow = { ...day, day: addDays(day.day, 1), nav: day.next };
  return Money.min(valueOf(investment, day), valueOf(investment, tomorrow));
}

/** When the shown value last changed: at the investment's own last change, or at a midnight since then. */
export function lastUpdateOf({ status, issuedOn, updatedAt }: Investment, { changedOn }: NavDay): Date {
  const grows = status === 'active' && issuedOn !== null && changedOn !== undefined;
  if (!grows || changedOn < firstGrowth(issuedOn)) return updatedAt;
  const midnight = startOfDay(changedOn);
  return midnight > updatedAt ? midnight : updatedAt;
}

/** The next midnight at which growth shows; null for what does not grow. */
export function nextYieldDate(investment: Investment, day: NavDay, suspended: boolean): Date | null {
  if (investment.status !== 'active' || investment.issuedOn === null || suspended) return null;
  const first = firstGrowth(investment.issuedOn);
  const tomorrow = addDays(day.day, 1);
  return startOfDay(first > tomorrow ? first : tomorrow);
}

/** The first day on which growth shows: the second midnight after the units were issued. */
function firstGrowth(issuedOn: string): string {
  return addDays(issuedOn, 2);
}

/** The same in SQL, over `investment` and a table of prices (below). */
export function valueSql(price: string): string {
  return `coalesce(investment.final_value,
  case when investment.status = 'active' and ${price}.day >= investment.issued_on + 2
       then round_half_even(investment.units * ${price}.nav, ${MICRO_SCALE}) else investment.amount end)`;
}

export const VALUE_SQL = valueSql('price');

/** A day's values as a table `price(strategy_id, day, nav)`, from the parameter that `pricesOf` makes. */
export function priceTable(parameter: number, name = 'price'): string {
  return `jsonb_to_recordset($${parameter}::jsonb) as ${name}(strategy_id text, day date, nav numeric)`;
}

export function pricesOf(days: NavDays): string {
  return JSON.stringify(
    [...days.values()].map(({ strategyId, day, nav }) => ({
      strategy_id: strategyId,
      day,
      nav: nav.toString(),
    })),
  );
}
