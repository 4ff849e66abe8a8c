import type { AppConfig } from '../../config/app-config.js';
import { dayOf, daysBetween } from '../../kernel/days.js';
import { MICRO_SCALE, Money } from '../../kernel/money.js';
import type { Investment } from './investment.row.js';

const HUNDRED = Money.of('100');
const DAYS_A_YEAR = Money.of('365');

export interface Fees {
  readonly management: Money;
  readonly performance: Money;
}

type FeeRates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;

/**
 * D27: fees of closing what is worth `value` now: an investment, or the part of one that has this much of its
 * principal. Management: of the principal, pro rata by calendar
 * days; performance: of growth. Rounded down, and never more than there is.
 */
export function closingFees(
  investment: Pick<Investment, 'amount' | 'createdAt'>,
  value: Money,
  at: Date,
  rates: FeeRates,
): Fees {
  const days = Money.of(daysBetween(dayOf(investment.createdAt), dayOf(at)).toString());
  const base = investment.amount.times(rates.MANAGEMENT_FEE_PERCENT).times(days);
  const due = base.dividedBy(HUNDRED.times(DAYS_A_YEAR)).roundDown(MICRO_SCALE);
  const management = Money.min(due, value);
  const growth = Money.max(value.minus(investment.amount), Money.ZERO);
  const share = growth.times(rates.PERFORMANCE_FEE_PERCENT).dividedBy(HUNDRED).roundDown(MICRO_SCALE);
  return { management, performance: Money.min(share, value.minus(management)) };
}
