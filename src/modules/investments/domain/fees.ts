import type { AppConfig } from '../../../config/app-config.js';
import { dayOf, daysBetween } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { DAYS_A_YEAR, HUNDRED } from '../../../common/ratio.js';
import type { Investment } from '../entities/investment.entity.js';

/** Fees of closing; they add up. */
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
/** The rates as an ended investment records them. */
export function feeRates(rates: FeeRates): { managementFeePercent: Money; performanceFeePercent: Money } {
  return {
    managementFeePercent: rates.MANAGEMENT_FEE_PERCENT,
    performanceFeePercent: rates.PERFORMANCE_FEE_PERCENT,
  };
}

type Leg = Pick<Investment, 'amount' | 'createdAt'>;

/**
 * Fees of closing an investment, or a part of one, at a price of `value`. Together they never exceed the value.
 */
export function closingFees(
  investment: Leg & Pick<Investment, 'carriedFees' | 'carriedPerformanceFees'>,
  value: Money,
  at: Date,
  rates: FeeRates,
): Fees {
  const { management, performance } = legFees(investment, value, at, rates);
  const carried = Money.min(investment.carriedFees, value.minus(management).minus(performance));
  return {
    management,
    performance,
    carried,
    carriedPerformance: Money.min(investment.carriedPerformanceFees, carried),
  };
}

/**
 * Fees of one leg. Management: a yearly rate of the principal, pro rata by calendar days. Performance: a rate of the
 * growth. Both are rounded down and together never exceed the value.
 */
export function legFees(
  { amount, createdAt }: Leg,
  value: Money,
  at: Date,
  rates: FeeRates,
): Pick<Fees, 'management' | 'performance'> {
  const days = Money.of(daysBetween(dayOf(createdAt), dayOf(at)).toString());
  const base = amount.times(rates.MANAGEMENT_FEE_PERCENT).times(days);
  const due = base.dividedBy(HUNDRED.times(Money.of(String(DAYS_A_YEAR)))).roundDown(MICRO_SCALE);
  const management = Money.min(due, value);
  const growth = Money.max(value.minus(amount), Money.ZERO);
  const share = growth.times(rates.PERFORMANCE_FEE_PERCENT).dividedBy(HUNDRED).roundDown(MICRO_SCALE);
  return { management, performance: Money.min(share, value.minus(management)) };
}
