import type { AppConfig } from '../../../config/app-config.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { NavDayLock } from '../../strategies/navs.service.js';
import { closingFees, type Fees } from './fees.js';
import type { Investment, Origin } from '../investment.row.js';
import { priceOf, valueOf } from './valuation.js';

/** What closing an investment, or a part of one, comes to. Pure. */
export interface Closing {
  /** What is redeemed, before fees: principal and growth. */
  readonly value: Money;
  readonly principal: Money;
  readonly units: Money;
  /** A loss is negative. */
  readonly growth: Money;
  readonly fees: Fees;
  /** Today's value of what is redeemed, less `value`. Above zero where a lower value is published for tomorrow. */
  readonly forfeited: Money;
}

/** What leaves an investment when all of it or a part of it is redeemed. */
interface Share extends Pick<Closing, 'principal' | 'units'> {
  readonly origin: Omit<Origin, 'firstMadeAt'>;
}

type Rates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;

export function wholeClosing(investment: Investment, day: NavDayLock, rates: Rates): Closing {
  const { amount: principal, units, origin } = investment;
  const sums = { value: priceOf(investment, day), today: valueOf(investment, day) };
  return closing(investment, { principal, units, origin }, sums, day, rates);
}

/**
 * What redeeming `amount` of the price comes to, and the investment that stays; `amount` has to be less than all.
 * Principal, units and what earlier legs left go in proportion. What stays of the units is rounded down, which is too
 * little to show: what stays is priced, to the last decimal, at what it was priced before less `amount`.
 */
export function partialClosing(
  investment: Investment,
  amount: Money,
  day: NavDayLock,
  rates: Rates,
): Closing & { readonly rest: Investment } {
  const price = priceOf(investment, day);
  const { carriedFees, carriedPerformanceFees, firstPrincipal } = investment.origin;
  const shareOf = (whole: Money) => whole.times(amount).dividedBy(price).roundDown(MICRO_SCALE);
  const unitsLeft = investment.units.times(price.minus(amount)).dividedBy(price).roundDown(UNIT_SCALE);
  const carried = shareOf(carriedFees);
  const carriedManagement = shareOf(carriedFees.minus(carriedPerformanceFees));
  const share: Share = {
    principal: shareOf(investment.amount),
    units: investment.units.minus(unitsLeft),
    origin: {
      firstPrincipal: shareOf(firstPrincipal),
      carriedFees: carried,
      carriedPerformanceFees: carried.minus(carriedManagement),
    },
  };
  const rest = without(investment, share);
  const today = valueOf(investment, day).minus(valueOf(rest, day));
  return { ...closing(investment, share, { value: amount, today }, day, rates), rest };
}

function without(investment: Investment, { principal, units, origin }: Share): Investment {
  const before = investment.origin;
  return {
    ...investment,
    amount: investment.amount.minus(principal),
    units: investment.units.minus(units),
    origin: {
      ...before,
      firstPrincipal: before.firstPrincipal.minus(origin.firstPrincipal),
      carriedFees: before.carriedFees.minus(origin.carriedFees),
      carriedPerformanceFees: before.carriedPerformanceFees.minus(origin.carriedPerformanceFees),
    },
  };
}

function closing(
  { createdAt }: Investment,
  { principal, units, origin }: Share,
  { value, today }: { readonly value: Money; readonly today: Money },
  { at }: NavDayLock,
  rates: Rates,
): Closing {
  const fees = closingFees({ amount: principal, createdAt, origin }, value, at, rates);
  return { value, principal, units, growth: value.minus(principal), fees, forfeited: today.minus(value) };
}

export function totalFees({ fees }: Pick<Closing, 'fees'>): Money {
  return fees.management.plus(fees.performance).plus(fees.carried);
}

/** What cancelling an investment comes to. Pure. */
export interface Cancellation {
  /** What is paid: the price, and never more than the first principal. */
  readonly paid: Money;
  /** What the present leg contributes to it beside the principal; a loss is negative. */
  readonly growth: Money;
  /** Growth of earlier legs, which the moves have realised, that is taken back. */
  readonly takenBack: Money;
  /** Growth of the present leg that is not paid. */
  readonly forfeited: Money;
}

/** `paid` is the principal and `growth` less `takenBack`. */
export function cancellation(investment: Investment, day: NavDayLock): Cancellation {
  const { amount: principal, origin } = investment;
  const price = priceOf(investment, day);
  const paid = Money.min(price, origin.firstPrincipal);
  const takenBack = Money.max(Money.min(price, principal).minus(paid), Money.ZERO);
  const growth = paid.plus(takenBack).minus(principal);
  return { paid, growth, takenBack, forfeited: valueOf(investment, day).minus(principal).minus(growth) };
}
