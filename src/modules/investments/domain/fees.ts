import type { AppConfig } from '../../../config/app-config.js';
import { dayOf, daysBetween } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import type { Investment, Origin } from '../investment.row.js';

const HUNDRED = Money.of('100');
const DAYS_A_YEAR = Money.of('365');

/** What closing costs: its fees are addends. */
export interface Fees {
  /** Of the present leg. */
  readonly management: Money;
  /** Of the present leg. */
  readonly performance: Money;
  /** Of earlier legs, which were moved and not closed. */
  readonly carried: Money;
  /** The part of `carried` that is performance fees; the rest is management fees. */
  readonly carriedPerformance: Money;
}

type FeeRates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;
type LegFees = Pick<Fees, 'management' | 'performance'>;

/**
 * Fees of closing what is priced at `value` now: an investment, or the part of one that has this much of its principal
 * and of the fees that it carries. Never more than the value.
 */
export function closingFees(
  investment: Pick<Investment, 'amount' | 'createdAt'> & {
    readonly origin: Pick<Origin, 'carriedFees' | 'carriedPerformanceFees'>;
  },
  value: Money,
  at: Date,
  rates: FeeRates,
): Fees {
  const { management, performance } = legFees(investment, value, at, rates);
  const { carriedFees, carriedPerformanceFees } = investment.origin;
  const carried = Money.min(carriedFees, value.minus(management).minus(performance));
  return {
    management,
    performance,
    carried,
    carriedPerformance: Money.min(carriedPerformanceFees, carried),
  };
}

/**
 * Fees of one leg. Management: of the principal, pro rata by calendar days; performance: of growth. Rounded down,
 * and never more than there is.
 */
export function legFees(
  { amount, createdAt }: Pick<Investment, 'amount' | 'createdAt'>,
  value: Money,
  at: Date,
  rates: FeeRates,
): LegFees {
  const days = Money.of(daysBetween(dayOf(createdAt), dayOf(at)).toString());
  const base = amount.times(rates.MANAGEMENT_FEE_PERCENT).times(days);
  const due = base.dividedBy(HUNDRED.times(DAYS_A_YEAR)).roundDown(MICRO_SCALE);
  const management = Money.min(due, value);
  const growth = Money.max(value.minus(amount), Money.ZERO);
  const share = growth.times(rates.PERFORMANCE_FEE_PERCENT).dividedBy(HUNDRED).roundDown(MICRO_SCALE);
  return { management, performance: Money.min(share, value.minus(management)) };
}
