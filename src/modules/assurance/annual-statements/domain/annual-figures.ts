import { dayOf, type Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';

/** Amounts that the closings of a user's investments settled in a month. */
export interface MonthlySettlement {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly strategyId: string;
  /** Growth that was taken back, or left out of the price. */
  readonly forfeited: Money;
  readonly managementFees: Money;
  readonly performanceFees: Money;
}

/** What the investments in a strategy earned in a month. */
export interface MonthlyIncome {
  readonly month: string;
  readonly strategyId: string;
  /** Earned on the days of the month; a loss is negative. */
  readonly growth: Money;
  readonly forfeited: Money;
  /** Growth less forfeited growth. */
  readonly income: Money;
}

/** The months of the year of `lastDay`, the last one up to that day. */
export function monthsUntil(lastDay: Day): { from: Day; to: Day }[] {
  const year = lastDay.slice(0, 4);
  const count = Number(lastDay.slice(5, 7));
  return Array.from({ length: count }, (_, index) => {
    const month = `${year}-${String(index + 1).padStart(2, '0')}`;
    const end = dayOf(new Date(Date.UTC(Number(year), index + 1, 0)));
    return { from: `${month}-01`, to: end < lastDay ? end : lastDay };
  });
}

/** The months and strategies with growth or a settlement, in their order. */
export function incomeByMonth(
  growth: readonly { readonly month: string; readonly strategyId: string; readonly growth: Money }[],
  settlements: readonly MonthlySettlement[],
): MonthlyIncome[] {
  const incomes = new Map<string, MonthlyIncome>();
  const add = (month: string, strategyId: string, earned: Money, forfeited: Money) => {
    const key = `${month} ${strategyId}`;
    const before = incomes.get(key);
    incomes.set(key, {
      month,
      strategyId,
      growth: earned.plus(before?.growth ?? Money.ZERO),
      forfeited: forfeited.plus(before?.forfeited ?? Money.ZERO),
      income: earned.minus(forfeited).plus(before?.income ?? Money.ZERO),
    });
  };
  for (const { month, strategyId, growth: earned } of growth) add(month, strategyId, earned, Money.ZERO);
  for (const { month, strategyId, forfeited } of settlements) add(month, strategyId, Money.ZERO, forfeited);
  return [...incomes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, income]) => income)
    .filter(({ growth: earned, forfeited }) => !earned.isZero() || !forfeited.isZero());
}
