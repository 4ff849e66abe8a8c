import type { AppConfig } from '../../config/app-config.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../kernel/money.js';
import type { MovingDay } from '../strategies/navs.service.js';
import { closingFees, type Fees } from './investment-fees.js';
import type { Investment } from './investment.row.js';
import { valueOf } from './investment-value.js';

/** What closing an investment, or a part of one, comes to. Pure. */
export interface Closing {
  /** What is redeemed, before fees: principal and growth. */
  readonly value: Money;
  readonly principal: Money;
  readonly units: Money;
  /** A loss is negative. */
  readonly growth: Money;
  readonly fees: Fees;
}

type Rates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;

export function wholeClosing(investment: Investment, day: MovingDay, rates: Rates): Closing {
  const value = valueOf(investment, day);
  const { amount: principal, units } = investment;
  return closing(investment, { value, principal, units }, day, rates);
}

/**
 * D28: what redeeming `amount` of the value comes to; it has to be less than all. Principal and units go in
 * proportion. What stays of the units is rounded down, which is too little to show: what stays is worth, to the last
 * decimal, what it was worth before less `amount`.
 */
export function partialClosing(investment: Investment, amount: Money, day: MovingDay, rates: Rates): Closing {
  const value = valueOf(investment, day);
  const principal = investment.amount.times(amount).dividedBy(value).roundDown(MICRO_SCALE);
  const unitsLeft = investment.units.times(value.minus(amount)).dividedBy(value).roundDown(UNIT_SCALE);
  const units = investment.units.minus(unitsLeft);
  return closing(investment, { value: amount, principal, units }, day, rates);
}

function closing(
  { createdAt }: Investment,
  redeemed: Pick<Closing, 'value' | 'principal' | 'units'>,
  { at }: MovingDay,
  rates: Rates,
): Closing {
  const { value, principal, units } = redeemed;
  const fees = closingFees({ amount: principal, createdAt }, value, at, rates);
  return { value, principal, units, growth: value.minus(principal), fees };
}

export function totalFees({ fees }: Closing): Money {
  return fees.management.plus(fees.performance);
}
