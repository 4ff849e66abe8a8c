import { addDays, dayOf, daysBetween, type Day } from '../../../../common/days.js';
import { Money } from '../../../../common/money.js';
import type { AppConfig } from '../../../../config/app-config.js';
import { legFees } from '../../../investing/investments/domain/closing.js';
import { payoutOf, type InvestmentDetails } from '../../../investing/investments/domain/investment.js';
import { valueOf } from '../../../investing/investments/domain/valuation.js';
import type { JsonValue } from '../../../../common/canonical-json.js';

// The members of an investment's receipt except its transactions: the value, and all input from which it is computed.

const ONE = Money.of('1');

/** A published net asset value with its factors: it is the value of the day before × (1 + apy/100)^(1/365) × correction. */
export interface ReceiptNav {
  readonly day: Day;
  readonly nav: Money;
  /** Percent a year. */
  readonly apy: Money;
  readonly correction: Money;
  /**
   * Where `apy` is from: the strategy's target, a report of the custody provider, or, for a day on which the strategy was
   * suspended, zero. `first` is the value of the first day, which is 1 and has no day before it.
   */
  readonly source: 'first' | 'target' | 'reported' | 'suspended';
  /** The report that set the rate; null unless the source is `reported`. */
  readonly reportId: string | null;
}

/** An investment that was moved into the next one of its chain. */
export interface EarlierLeg {
  /** Principal, less the shares of partial closings. */
  readonly amount: Money;
  readonly createdAt: Date;
  readonly endedAt: Date;
  readonly finalValue: Money;
  /** Percent; null for investments that ended before the rates were recorded. */
  readonly managementFeePercent: Money | null;
  readonly performanceFeePercent: Money | null;
}

type Rates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;
type Members = Record<string, JsonValue>;

/** A fee of one leg, or the correction of the fees of earlier legs (`partialClosingsLine`). */
interface FeeLine {
  readonly kind: 'management' | 'performance' | 'partial-closings';
  /** Days of the leg. */
  readonly days: number;
  /** The principal of the leg for `management`, its growth for `performance`. */
  readonly base: Money;
  /** Percent, for `management` a year. */
  readonly rate: Money;
  readonly amount: Money;
}

/**
 * The days of the values in a receipt: from the value at which the units were issued to the price, which can be the
 * value of the day after the end. Null without units.
 */
export function navRange({ issuedOn, endedAt, day }: InvestmentDetails): { from: Day; to: Day } | null {
  if (issuedOn === null) return null;
  const from = addDays(issuedOn, 1);
  const to = endedAt ? addDays(dayOf(endedAt), 1) : day.day;
  return { from, to: to < from ? from : to }; // on the day of the issue, the value of the next day is published already
}

/**
 * `navs`: the values of `navRange`, in the order of days. `earlierLegs`: the newest first. `at`: the time of the receipt; the
 * fees of an open investment are those of closing it then. `rates`: those in force now, for legs without recorded rates.
 */
export function investmentMembers(
  investment: InvestmentDetails,
  navs: readonly ReceiptNav[],
  earlierLegs: readonly EarlierLeg[],
  at: Date,
  rates: Rates,
): Members {
  const { status, firstPrincipal, finalValue, movedFrom, movedTo } = investment;
  const payout = payoutOf(investment);
  const days = finalValue ? navsOfPrice(investment, navs) : navs;
  const value = finalValue ?? valueOf(investment, investment.day);
  // An investment that was moved on has ended without fees, because the next leg carries them.
  const hasEndedWithoutFees = finalValue !== null && investment.fees.isZero();
  const isWithoutFees = status === 'pending' || status === 'cancelled' || hasEndedWithoutFees;
  const fees = isWithoutFees ? [] : feeLines(investment, earlierLegs, value, at, rates);
  return {
    id: investment.id,
    kind: 'investment',
    status,
    strategyId: investment.strategyId,
    principal: investment.amount.toWire(),
    ...(firstPrincipal ? { firstPrincipal: firstPrincipal.toWire() } : {}),
    ...(movedFrom === null ? {} : { movedFrom }),
    ...(movedTo === null ? {} : { movedTo }),
    units: investment.units.toExact(),
    days: days.map(dayMembers),
    ...(finalValue && payout
      ? { finalValue: finalValue.toWire(), withdrawnAmount: payout.toWire() }
      : { value: value.toWire() }),
    fees: fees.map(feeMembers),
  };
}

/**
 * The price is the lower one of the values of the last day and the day after. Drops the day after unless its value is the lower
 * one: `finalValue` follows from the last listed day, as `value` of an open investment does.
 */
function navsOfPrice(investment: InvestmentDetails, navs: readonly ReceiptNav[]): readonly ReceiptNav[] {
  const [last, next] = navs.slice(-2);
  if (!last || !next) return navs; // the price is the principal
  const active = { ...investment, status: 'active', finalValue: null } as const; // else `valueOf` returns `finalValue`
  const valueAt = ({ day, nav }: ReceiptNav) => valueOf(active, { ...investment.day, day, nav });
  return valueAt(next).isLessThan(valueAt(last)) ? navs : navs.slice(0, -1);
}

function dayMembers({ day, nav, apy, correction, source, reportId }: ReceiptNav): Members {
  return {
    day,
    nav: nav.toExact(),
    apy: apy.toExact(),
    ...(correction.equals(ONE) ? {} : { correction: correction.toExact() }),
    source: source === 'reported' ? `report:${reportId}` : source,
  };
}

function feeLines(
  investment: InvestmentDetails,
  earlierLegs: readonly EarlierLeg[],
  value: Money,
  at: Date,
  rates: Rates,
): FeeLine[] {
  const { amount, createdAt, endedAt } = investment;
  const present = legLines({ amount, createdAt }, value, endedAt ?? at, ratesOf(investment, rates));
  const carried = earlierLegs.flatMap((leg) =>
    legLines(leg, leg.finalValue, leg.endedAt, ratesOf(leg, rates)),
  );
  const presentSum = sumOf(present);
  // The due fees of earlier legs can differ from the listed ones: partial closings have charged their shares of them, a closing
  // charges at most the value, and the number of `earlierLegs` is limited.
  const due = endedAt
    ? investment.fees.minus(presentSum)
    : Money.min(investment.carriedFees, value.minus(presentSum));
  const difference = due.minus(sumOf(carried));
  return [...present, ...carried, ...(difference.isZero() ? [] : [partialClosingsLine(difference)])];
}

function legLines(
  leg: { readonly amount: Money; readonly createdAt: Date },
  value: Money,
  at: Date,
  rates: Rates,
): FeeLine[] {
  const { management, performance } = legFees(leg, value, at, rates);
  const days = daysBetween(dayOf(leg.createdAt), dayOf(at));
  const growth = Money.max(value.minus(leg.amount), Money.ZERO);
  return [
    { kind: 'management', days, base: leg.amount, rate: rates.MANAGEMENT_FEE_PERCENT, amount: management },
    { kind: 'performance', days, base: growth, rate: rates.PERFORMANCE_FEE_PERCENT, amount: performance },
  ];
}

/** `amount`: the due fees of earlier legs less the listed ones. */
function partialClosingsLine(amount: Money): FeeLine {
  return { kind: 'partial-closings', days: 0, base: Money.ZERO, rate: Money.ZERO, amount };
}

function ratesOf(
  {
    managementFeePercent,
    performanceFeePercent,
  }: Pick<EarlierLeg, 'managementFeePercent' | 'performanceFeePercent'>,
  rates: Rates,
): Rates {
  return {
    MANAGEMENT_FEE_PERCENT: managementFeePercent ?? rates.MANAGEMENT_FEE_PERCENT,
    PERFORMANCE_FEE_PERCENT: performanceFeePercent ?? rates.PERFORMANCE_FEE_PERCENT,
  };
}

function sumOf(lines: readonly FeeLine[]): Money {
  return Money.sum(lines.map(({ amount }) => amount));
}

function feeMembers({ kind, days, base, rate, amount }: FeeLine): Members {
  return { kind, days, base: base.toWire(), rate: rate.toExact(), amount: amount.toWire() };
}
