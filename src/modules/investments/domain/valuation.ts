import { addDays, startOfDay, type Day } from '../../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { NavDay } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';

// The value of an investment on a day. `VALUE_SQL` of investment-values.repository.ts is the same rule; a test compares the two.

/** Units that a principal buys. It earns from the next day on, so it buys at the next day's value. */
export function unitsFor(amount: Money, day: NavDay): Money {
  return amount.dividedBy(day.next).roundHalfEven(UNIT_SCALE);
}

/** Current value in USDC; of an ended investment its final value. */
export function valueOf(investment: Investment, day: NavDay): Money {
  const { status, amount, units, issuedOn, finalValue } = investment;
  if (finalValue) return finalValue;
  const grows = status === 'active' && issuedOn !== null && day.day >= firstGrowth(issuedOn);
  return grows ? units.times(day.nav).roundHalfEven(MICRO_SCALE) : amount;
}

/**
 * The lower of today's value and the value published for tomorrow, so that no redemption takes place between the
 * publication of a loss and its effect.
 */
export function priceOf(investment: Investment, day: NavDay): Money {
  const tomorrow = { ...day, day: addDays(day.day, 1), nav: day.next };
  return Money.min(valueOf(investment, day), valueOf(investment, tomorrow));
}

/** When the value last changed: at the investment's own last change, or at a later midnight. */
export function lastUpdateOf({ status, issuedOn, updatedAt }: Investment, { changedOn }: NavDay): Date {
  const grows = status === 'active' && issuedOn !== null && changedOn !== undefined;
  if (!grows || changedOn < firstGrowth(issuedOn)) return updatedAt;
  const midnight = startOfDay(changedOn);
  return midnight > updatedAt ? midnight : updatedAt;
}

/** The next midnight at which growth shows; null for an investment that does not grow. */
export function nextYieldDate(investment: Investment, day: NavDay, suspended: boolean): Date | null {
  if (investment.status !== 'active' || investment.issuedOn === null || suspended) return null;
  const first = firstGrowth(investment.issuedOn);
  const tomorrow = addDays(day.day, 1);
  return startOfDay(first > tomorrow ? first : tomorrow);
}

/** Growth shows from the second midnight after the units were issued. */
export function firstGrowth(issuedOn: Day): Day {
  return addDays(issuedOn, 2);
}
