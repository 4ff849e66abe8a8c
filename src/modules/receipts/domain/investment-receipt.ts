import { addDays, dayOf, daysBetween, type Day } from '../../../common/days.js';
import { Money } from '../../../common/money.js';
import type { AppConfig } from '../../../config/app-config.js';
import { legFees } from '../../investments/domain/closing.js';
import type { InvestmentDetails } from '../../investments/domain/investment.js';
import { valueOf } from '../../investments/domain/valuation.js';
import type { JsonValue } from '../../proofs/domain/canonical-json.js';
import type { EarlierLeg, ReceiptNav } from '../receipts.types.js';

// What the receipt of an investment says besides its transactions: everything that its value is computed from.

const ONE = Money.of('1');

type Rates = Pick<AppConfig, 'MANAGEMENT_FEE_PERCENT' | 'PERFORMANCE_FEE_PERCENT'>;
type Members = Record<string, JsonValue>;

/** One kind of fee of one leg. */
interface FeeLine {
  readonly kind: 'management' | 'performance' | 'partial-closings';
  readonly days: number;
  readonly base: Money;
  readonly rate: Money;
  readonly amount: Money;
}

/** The days whose values a receipt needs: from the one at whose value the units were issued. Null without units. */
export function navRange({ issuedOn, endedAt, day }: InvestmentDetails): { from: Day; to: Day } | null {
  if (issuedOn === null) return null;
  const from = addDays(issuedOn, 1);
  const to = endedAt ? addDays(dayOf(endedAt), 1) : day.day;
  return { from, to: to < from ? from : to };
}

/**
 * `navs`: of `navRange`, in the order of days. `earlier`: the legs before, the newest first. Fees of an open investment
 * are those of closing it at the shown value.
 */
export function investmentMembers(
  investment: InvestmentDetails,
  navs: readonly ReceiptNav[],
  earlier: readonly EarlierLeg[],
  at: Date,
  rates: Rates,
): Members {
  const { status, firstPrincipal, finalValue } = investment;
  const days = finalValue ? navsOfPrice(investment, navs) : navs;
  const value = finalValue ?? valueOf(investment, investment.day);
  const charged =
    status === 'pending' || status === 'cancelled' ? [] : feeLines(investment, earlier, value, at, rates);
  const fees = finalValue && investment.fees.isZero() ? [] : charged;
  return {
    id: investment.id,
    kind: 'investment',
    status,
    strategyId: investment.strategyId,
    principal: investment.amount.toWire(),
    ...(firstPrincipal ? { firstPrincipal: firstPrincipal.toWire() } : {}),
    units: investment.units.toExact(),
    days: days.map(dayMembers),
    ...(finalValue
      ? { finalValue: finalValue.toWire(), withdrawnAmount: finalValue.minus(investment.fees).toWire() }
      : { value: value.toWire() }),
    fees: fees.map(feeMembers),
  };
}

/**
 * The price is the lower of the values of the last day and the day after. The last listed day is the one that counts, so that
 * the value of an ended investment follows from it as that of an open one.
 */
function navsOfPrice(investment: InvestmentDetails, navs: readonly ReceiptNav[]): readonly ReceiptNav[] {
  const [last, next] = navs.slice(-2);
  if (!last || !next) return navs; // the principal counts
  const active = { ...investment, status: 'active', finalValue: null } as const;
  const [today, tomorrow] = [last, next].map((nav) =>
    valueOf(active, { ...investment.day, day: nav.day, nav: nav.nav }),
  ) as [Money, Money];
  return tomorrow.isLessThan(today) ? navs : navs.slice(0, -1);
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
  earlier: readonly EarlierLeg[],
  value: Money,
  at: Date,
  rates: Rates,
): FeeLine[] {
  const { amount, createdAt, endedAt } = investment;
  const present = legLines({ amount, createdAt }, value, endedAt ?? at, ratesOf(investment, rates));
  const carried = earlier.flatMap((leg) => legLines(leg, leg.finalValue, leg.endedAt, ratesOf(leg, rates)));
  const presentSum = sumOf(present);
  // A closing charges what the value pays, and partial closings have charged their shares of the fees of earlier legs.
  const due = endedAt
    ? investment.fees.minus(presentSum)
    : Money.min(investment.carriedFees, value.minus(presentSum));
  const charged = due.minus(sumOf(carried));
  return [...present, ...carried, ...(charged.isZero() ? [] : [partialClosings(charged)])];
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

/** The difference to the sum of the legs. It is negative. */
function partialClosings(amount: Money): FeeLine {
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
