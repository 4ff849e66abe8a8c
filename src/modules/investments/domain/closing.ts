import type { AppConfig } from '../../../config/app-config.js';
import { dayOf, daysBetween } from '../../../common/days.js';
import { DAYS_A_YEAR, HUNDRED } from '../../../common/ratio.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import { fail } from '../../../common/errors/domain-error.js';
import type { NavDayLock } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';
import { originOf, type Origin } from './investment.js';
import { priceOf, valueOf } from './valuation.js';

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

/** The amounts of closing an investment or a part of one. */
export interface Closing {
  /** Redeemed value before fees: principal and growth. */
  readonly value: Money;
  readonly principal: Money;
  readonly units: Money;
  /** A loss is negative. */
  readonly growth: Money;
  readonly fees: Fees;
  /** Today's value of the redeemed units less `value`; positive if a lower value is published for tomorrow. */
  readonly forfeited: Money;
}

/** The part of an investment that a closing takes out of it. */
interface Share extends Pick<Closing, 'principal' | 'units'> {
  readonly origin: Omit<Origin, 'firstMadeAt'>;
}

export interface PlannedClosing {
  readonly closing: Closing;
  /** The investment that stays after a partial closing; null if all of it is closed. */
  readonly rest: Investment | null;
}

/**
 * What closing `requested` of the price pays, or all of it if `requested` is undefined. Quotes and closings use the same
 * plan. Throws INVALID_AMOUNT (422) above the price.
 */
export function planClosing(
  investment: Investment,
  requested: Money | undefined,
  day: NavDayLock,
  rates: FeeRates,
): PlannedClosing {
  const price = priceOf(investment, day);
  if (requested?.isMoreThan(price)) failAbovePrice(price, valueOf(investment, day), requested);
  if (!requested?.isLessThan(price)) return { closing: wholeClosing(investment, day, rates), rest: null };
  const { rest, ...closing } = partialClosing(investment, requested, day, rates);
  return { closing, rest };
}

function failAbovePrice(price: Money, value: Money, requested: Money): never {
  const lower = ` The value published for tomorrow is lower, so at most ${price.toWire()} USDC can be closed.`;
  const message = `The investment is worth ${value.toWire()} USDC.${price.isLessThan(value) ? lower : ''}`;
  fail(
    'INVALID_AMOUNT',
    { currentValue: value.toWire(), requested: requested.toWire() },
    { status: 422, message },
  );
}

export function wholeClosing(investment: Investment, day: NavDayLock, rates: FeeRates): Closing {
  const { amount: principal, units } = investment;
  const values = { value: priceOf(investment, day), today: valueOf(investment, day) };
  return closing(investment, { principal, units, origin: originOf(investment) }, values, day, rates);
}

/**
 * Redeems `amount`, which must be less than the price; `rest` is the investment that stays. Principal, units and carried
 * fees go in proportion. The units of the rest are rounded down so little that its price is exactly the price before
 * less `amount`.
 */
export function partialClosing(
  investment: Investment,
  amount: Money,
  day: NavDayLock,
  rates: FeeRates,
): Closing & { readonly rest: Investment } {
  const price = priceOf(investment, day);
  const { carriedFees, carriedPerformanceFees, firstPrincipal } = originOf(investment);
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
  return {
    ...investment,
    amount: investment.amount.minus(principal),
    units: investment.units.minus(units),
    firstPrincipal: investment.firstPrincipal?.minus(origin.firstPrincipal) ?? null,
    carriedFees: investment.carriedFees.minus(origin.carriedFees),
    carriedPerformanceFees: investment.carriedPerformanceFees.minus(origin.carriedPerformanceFees),
  };
}

function closing(
  { createdAt }: Investment,
  { principal, units, origin }: Share,
  { value, today }: { readonly value: Money; readonly today: Money },
  { at }: NavDayLock,
  rates: FeeRates,
): Closing {
  const fees = closingFees({ amount: principal, createdAt, ...origin }, value, at, rates);
  return { value, principal, units, growth: value.minus(principal), fees, forfeited: today.minus(value) };
}

export function totalFees({ fees }: Pick<Closing, 'fees'>): Money {
  return fees.management.plus(fees.performance).plus(fees.carried);
}

/** The amounts of cancelling an investment. */
export interface Cancellation {
  /** The price, but never more than the first principal. */
  readonly paid: Money;
  /** The present leg's share of `paid` beyond its principal; a loss is negative. */
  readonly growth: Money;
  /** Growth of earlier legs, realised by moves, that the cancellation takes back. */
  readonly takenBack: Money;
  /** Growth of the present leg that is not paid. */
  readonly forfeited: Money;
}

/** `paid` is the principal plus `growth` less `takenBack`. */
export function cancellation(investment: Investment, day: NavDayLock): Cancellation {
  const { amount: principal } = investment;
  const price = priceOf(investment, day);
  const paid = Money.min(price, originOf(investment).firstPrincipal);
  const takenBack = Money.max(Money.min(price, principal).minus(paid), Money.ZERO);
  const growth = paid.plus(takenBack).minus(principal);
  return { paid, growth, takenBack, forfeited: valueOf(investment, day).minus(principal).minus(growth) };
}
