import type { AppConfig } from '../../../../config/app-config.js';
import { dayOf, daysBetween } from '../../../../common/days.js';
import { DAYS_A_YEAR, HUNDRED } from '../../../../common/ratio.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../../common/money.js';
import { failAmount } from '../../../../common/errors/domain-error.js';
import type { NavDayAt } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';
import { originOf, type Origin } from './investment.js';
import { priceOf, valueOf } from './valuation.js';

/** Fees of closing. The total is `management + performance + carried`; `carriedPerformance` is part of `carried`. */
export interface Fees {
  /** Of the present leg. */
  readonly management: Money;
  /** Of the present leg. */
  readonly performance: Money;
  /** Of earlier legs, whose moves charged no fees. */
  readonly carried: Money;
  /** The performance fees in `carried`; the rest are management fees. */
  readonly carriedPerformance: Money;
}

export type FeeRates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;

/** The rates, named as the fields in which a closed or moved investment records them. */
export function feeRates(rates: FeeRates): { managementFeePercent: Money; performanceFeePercent: Money } {
  return {
    managementFeePercent: rates.MANAGEMENT_FEE_PERCENT,
    performanceFeePercent: rates.PERFORMANCE_FEE_PERCENT,
  };
}

type Leg = Pick<Investment, 'amount' | 'createdAt'>;

/** Fees of closing at a price. The fields of `investment` are those of the closed part. The fees never exceed the price. */
export function closingFees(
  investment: Leg & Pick<Investment, 'carriedFees' | 'carriedPerformanceFees'>,
  price: Money,
  at: Date,
  rates: FeeRates,
): Fees {
  const { management, performance } = legFees(investment, price, at, rates);
  const carried = Money.min(investment.carriedFees, price.minus(management).minus(performance));
  return {
    management,
    performance,
    carried,
    carriedPerformance: Money.min(investment.carriedPerformanceFees, carried),
  };
}

/**
 * Fees of one leg. Management: a yearly rate of the principal, by calendar days since the leg was created, including days
 * before its approval. Performance: a rate of the growth. Both are rounded down and together never exceed the price.
 */
export function legFees(
  { amount, createdAt }: Leg,
  price: Money,
  at: Date,
  rates: FeeRates,
): Pick<Fees, 'management' | 'performance'> {
  const days = Money.of(daysBetween(dayOf(createdAt), dayOf(at)).toString());
  const managementDue = amount
    .times(rates.MANAGEMENT_FEE_PERCENT)
    .times(days)
    .dividedBy(HUNDRED.times(Money.of(String(DAYS_A_YEAR))))
    .roundDown(MICRO_SCALE);
  const management = Money.min(managementDue, price);
  const growth = Money.max(price.minus(amount), Money.ZERO);
  const performanceDue = growth
    .times(rates.PERFORMANCE_FEE_PERCENT)
    .dividedBy(HUNDRED)
    .roundDown(MICRO_SCALE);
  return { management, performance: Money.min(performanceDue, price.minus(management)) };
}

/** The amounts of closing an investment or a part of one. */
export interface Closing {
  /** The amount before fees: principal plus growth. */
  readonly price: Money;
  readonly principal: Money;
  readonly units: Money;
  /** A loss is negative. */
  readonly growth: Money;
  readonly fees: Fees;
  /** Today's value of the redeemed units less `price`; positive if a lower value is published for tomorrow. */
  readonly forfeited: Money;
}

/** The part of an investment that a closing takes out of it. */
interface RedeemedPart extends Pick<Closing, 'principal' | 'units'> {
  /** The shares of the part in the first principal and in the carried fees. */
  readonly origin: Omit<Origin, 'firstMadeAt'>;
}

interface PlannedClosing {
  readonly closing: Closing;
  /** The investment that stays after a partial closing; null if all of it is closed. */
  readonly remaining: Investment | null;
}

/**
 * Plans the redemption of `requested` USDC of the price, or of the whole investment if `requested` is undefined. Quotes and
 * closings use the same plan. Throws INVALID_AMOUNT (422) if `requested` is more than the price.
 */
export function planClosing(
  investment: Investment,
  requested: Money | undefined,
  day: NavDayAt,
  rates: FeeRates,
): PlannedClosing {
  const price = priceOf(investment, day);
  if (requested?.isMoreThan(price)) failAbovePrice(price, valueOf(investment, day), requested);
  if (requested === undefined || requested.equals(price))
    return { closing: wholeClosing(investment, day, rates), remaining: null };
  const { remaining, ...closing } = partialClosing(investment, requested, day, rates);
  return { closing, remaining };
}

function failAbovePrice(price: Money, todaysValue: Money, requested: Money): never {
  const worth = `The investment is worth ${todaysValue.toWire()} USDC.`;
  const limit = `The value published for tomorrow is lower, so at most ${price.toWire()} USDC can be redeemed.`;
  const message = price.isLessThan(todaysValue) ? `${worth} ${limit}` : worth;
  failAmount(message, { currentValue: todaysValue, requested }, 422);
}

export function wholeClosing(investment: Investment, day: NavDayAt, rates: FeeRates): Closing {
  const { amount: principal, units } = investment;
  const values = { price: priceOf(investment, day), todaysValue: valueOf(investment, day) };
  return toClosing(investment, { principal, units, origin: originOf(investment) }, values, day, rates);
}

/**
 * Redeems `amount`, which must be less than the price. `remaining` is the investment that stays: its principal, units, first
 * principal and carried fees are reduced in proportion, and its price is exactly the earlier price less `amount`. Its units
 * are rounded down at 24 decimals, which does not change a price with 6 decimals.
 */
export function partialClosing(
  investment: Investment,
  amount: Money,
  day: NavDayAt,
  rates: FeeRates,
): Closing & { readonly remaining: Investment } {
  const price = priceOf(investment, day);
  const { carriedFees, carriedPerformanceFees, firstPrincipal } = originOf(investment);
  const proportionOf = (whole: Money) => whole.times(amount).dividedBy(price).roundDown(MICRO_SCALE);
  const unitsLeft = investment.units.times(price.minus(amount)).dividedBy(price).roundDown(UNIT_SCALE);
  const carried = proportionOf(carriedFees);
  const carriedManagement = proportionOf(carriedFees.minus(carriedPerformanceFees));
  const redeemed: RedeemedPart = {
    principal: proportionOf(investment.amount),
    units: investment.units.minus(unitsLeft),
    origin: {
      firstPrincipal: proportionOf(firstPrincipal),
      carriedFees: carried,
      carriedPerformanceFees: carried.minus(carriedManagement), // so that the two kinds add up to `carried`
    },
  };
  const remaining = investmentWithout(redeemed, investment);
  const todaysValue = valueOf(investment, day).minus(valueOf(remaining, day));
  return { ...toClosing(investment, redeemed, { price: amount, todaysValue }, day, rates), remaining };
}

function investmentWithout({ principal, units, origin }: RedeemedPart, investment: Investment): Investment {
  return {
    ...investment,
    amount: investment.amount.minus(principal),
    units: investment.units.minus(units),
    firstPrincipal: investment.firstPrincipal?.minus(origin.firstPrincipal) ?? null,
    carriedFees: investment.carriedFees.minus(origin.carriedFees),
    carriedPerformanceFees: investment.carriedPerformanceFees.minus(origin.carriedPerformanceFees),
  };
}

function toClosing(
  { createdAt }: Investment,
  { principal, units, origin }: RedeemedPart,
  { price, todaysValue }: { readonly price: Money; readonly todaysValue: Money },
  { at }: NavDayAt,
  rates: FeeRates,
): Closing {
  const fees = closingFees({ amount: principal, createdAt, ...origin }, price, at, rates);
  return {
    price,
    principal,
    units,
    growth: price.minus(principal),
    fees,
    forfeited: todaysValue.minus(price),
  };
}

export function totalFees({ fees }: Pick<Closing, 'fees'>): Money {
  return fees.management.plus(fees.performance).plus(fees.carried);
}

/** The amounts of cancelling an investment. */
export interface Cancellation {
  /** The price, but never more than the first principal. */
  readonly paid: Money;
  /** The growth of the present leg that the user keeps; negative for a loss. */
  readonly growth: Money;
  /** Growth of earlier legs, realised by moves, that the cancellation takes back. */
  readonly takenBack: Money;
  /** Growth of the present leg that is not paid. */
  readonly forfeited: Money;
}

/** `paid` is the principal plus `growth` less `takenBack`. */
export function planCancellation(investment: Investment, day: NavDayAt): Cancellation {
  const { amount: principal } = investment;
  const price = priceOf(investment, day);
  const paid = Money.min(price, originOf(investment).firstPrincipal);
  const principalLeft = Money.min(price, principal); // less than the principal after a loss of the present leg
  const takenBack = Money.max(principalLeft.minus(paid), Money.ZERO);
  const growth = paid.plus(takenBack).minus(principal);
  return { paid, growth, takenBack, forfeited: valueOf(investment, day).minus(principal).minus(growth) };
}
