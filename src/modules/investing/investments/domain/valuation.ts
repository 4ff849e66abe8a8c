import { addDays, startOfDay, type Day } from '../../../../common/days.js';
import { groupBy } from '../../../../common/groups.js';
import type { Moment } from '../../../../common/moment.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../../common/money.js';
import type { NavDay } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';

// The value of an investment on a day. `VALUE_SQL` of investment-values.repository.ts is the same rule in SQL; a test compares
// the two.

/** Units that the principal `amount` buys: at the NAV of the next day, on which it begins to earn. */
export function unitsFor(amount: Money, day: NavDay): Money {
  return amount.dividedBy(day.next).roundHalfEven(UNIT_SCALE);
}

/** Current value in USDC; of an ended investment its final value. */
export function valueOf(investment: Investment, day: NavDay): Money {
  const { status, amount, units, issuedOn, finalValue } = investment;
  if (finalValue) return finalValue;
  const grows = status === 'active' && issuedOn !== null && day.day >= firstDayWithGrowth(issuedOn);
  return grows ? units.times(day.nav).roundHalfEven(MICRO_SCALE) : amount;
}

/**
 * The lower of today's value and the value published for tomorrow, so that no redemption takes place between the
 * publication of a loss and its effect.
 */
export function priceOf(investment: Investment, day: NavDay): Money {
  const tomorrow = { ...day, day: addDays(day.day, 1), nav: day.next };
  return Money.min(valueOf(investment, day), valueOf(investment, tomorrow));
}

/** When the value last changed: at the investment's own last change, or at a later midnight. */
export function lastUpdateOf({ status, issuedOn, updatedAt }: Investment, { changedOn }: NavDay): Date {
  const grows = status === 'active' && issuedOn !== null && changedOn !== undefined;
  if (!grows || changedOn < firstDayWithGrowth(issuedOn)) return updatedAt;
  const midnight = startOfDay(changedOn);
  return midnight > updatedAt ? midnight : updatedAt;
}

/** The next midnight at which growth shows; null for an investment that does not grow. */
export function nextYieldDate(investment: Investment, day: NavDay, suspended: boolean): Date | null {
  if (investment.status !== 'active' || investment.issuedOn === null || suspended) return null;
  const firstDay = firstDayWithGrowth(investment.issuedOn);
  const tomorrow = addDays(day.day, 1);
  return startOfDay(firstDay > tomorrow ? firstDay : tomorrow);
}

/** The first midnight after the issue is that of the NAV at which the units were bought: growth shows from the second one on. */
function firstDayWithGrowth(issuedOn: Day): Day {
  return addDays(issuedOn, 2);
}

// Growth, the value less the principal, at many moments in the past. A thousand investments that were made evenly over a year have about
// 1000 × 365 / 2 = 180,000 daily values. `addRounded` computes them in about half of the time of BigInt and a small part of that of
// `Money`.

/** An investment in the time between two of its ledger movements. */
export interface InvestmentSegment {
  readonly strategyId: string;
  readonly issuedOn: Day;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds since 1970; Infinity for the present segment. */
  readonly until: number;
  /** In parts of 10⁻²⁴ units. */
  readonly units: bigint;
  /** In micro-units, parts of 10⁻⁶ USDC. */
  readonly principal: bigint;
}

/** The value of one unit on a day, in parts of 10⁻²⁴ USDC. */
export interface PastNav {
  readonly strategyId: string;
  readonly day: Day;
  readonly nav: bigint;
}

const MICRO_UNIT = Money.of('0.000001');

/** A whole number in base 10⁷, the lowest digit first. A product of two digits is exact in a JavaScript number. */
type Digits = readonly number[];
const DECIMALS_PER_DIGIT = 7;
const BASE = 10 ** DECIMALS_PER_DIGIT;
/** Units × NAV is counted in parts of 10⁻⁴⁸ USDC. The digits above the lowest six are micro-units. */
const FRACTION_DIGITS = (2 * UNIT_SCALE - MICRO_SCALE) / DECIMALS_PER_DIGIT;

/** The growth of the segments that were open at each moment. The moments are in the order of time. */
export function growthAtMoments(
  segments: readonly InvestmentSegment[],
  navs: readonly PastNav[],
  moments: readonly Moment[],
): Money[] {
  const ends = moments.map(({ until }) => until?.getTime() ?? Infinity);
  const days = moments.map(({ day }) => day);
  const navsByStrategy = groupBy(navs, ({ strategyId }) => strategyId);
  const totals = moments.map((): number[] => []);
  const principals = new Array<bigint>(moments.length).fill(0n);
  for (const [strategyId, strategySegments] of groupBy(segments, (segment) => segment.strategyId)) {
    const navByDay = new Map(navsByStrategy.get(strategyId)?.map(({ day, nav }) => [day, digitsOf(nav)]));
    const dailyNavs = days.map((day) => navByDay.get(day));
    const principalChanges = new Array<bigint>(ends.length + 1).fill(0n); // by moment
    for (const segment of strategySegments) {
      const { begin, end } = growingMoments(segment, ends, days);
      const units = digitsOf(segment.units);
      for (let index = begin; index < end; index++) {
        const nav = dailyNavs[index];
        if (nav) addRounded(totals[index] as number[], units, nav);
      }
      principalChanges[begin] = (principalChanges[begin] as bigint) + segment.principal;
      principalChanges[end] = (principalChanges[end] as bigint) - segment.principal;
    }
    let openPrincipal = 0n;
    for (const [moment, dailyNav] of dailyNavs.entries()) {
      openPrincipal += principalChanges[moment] as bigint;
      // Without a NAV no value was added above.
      if (dailyNav) principals[moment] = (principals[moment] as bigint) + openPrincipal;
    }
  }
  return totals.map((total, index) =>
    MICRO_UNIT.times(Money.of(String(numberOf(total) - (principals[index] as bigint)))),
  );
}

/** The indexes of the moments at which a segment is open and shows growth, from `begin` to `end` (exclusive). */
function growingMoments(
  { issuedOn, since, until }: InvestmentSegment,
  ends: readonly number[],
  days: readonly Day[],
): { begin: number; end: number } {
  const firstDay = firstDayWithGrowth(issuedOn);
  const begin = firstIndex(
    ends.length,
    (index) => (ends[index] as number) > since && (days[index] as Day) >= firstDay,
  );
  const end = firstIndex(ends.length, (index) => (ends[index] as number) > until);
  return { begin, end: Math.max(begin, end) };
}

/**
 * Adds units × NAV, rounded half to even to a micro-unit, to `sum`, whose digits may be BASE or more. All intermediate numbers are
 * whole and below 2 × 10¹⁵ if one of the factors has at most 20 digits of BASE, so that they are exact.
 */
function addRounded(sum: number[], units: Digits, nav: Digits): void {
  let carry = 0;
  let isRestZero = true; // the digits below the highest digit of the fraction
  let highestOfFraction = 0;
  let lowestWhole = 0;
  for (let place = 0; place < units.length + nav.length; place++) {
    let products = carry;
    const last = Math.min(place, units.length - 1);
    for (let index = Math.max(0, place - nav.length + 1); index <= last; index++) {
      products += (units[index] as number) * (nav[place - index] as number);
    }
    carry = Math.floor(products / BASE);
    const digit = products - carry * BASE;
    const wholePlace = place - FRACTION_DIGITS;
    if (wholePlace >= 0) sum[wholePlace] = (sum[wholePlace] ?? 0) + digit;
    if (wholePlace === 0) lowestWhole = digit;
    else if (wholePlace === -1) highestOfFraction = digit;
    else if (wholePlace < -1 && digit !== 0) isRestZero = false;
  }
  const isHalf = highestOfFraction === BASE / 2 && isRestZero;
  const roundsUp = isHalf ? lowestWhole % 2 === 1 : highestOfFraction >= BASE / 2;
  if (roundsUp) sum[0] = (sum[0] ?? 0) + 1;
}

function digitsOf(value: bigint): Digits {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest /= BigInt(BASE)) digits.push(Number(rest % BigInt(BASE)));
  return digits;
}

function numberOf(digits: Digits): bigint {
  return digits.reduceRight((higher, digit) => higher * BigInt(BASE) + BigInt(digit), 0n);
}

/** The first index below `count` that passes; `count` if none does. Requires that all indexes after the first one pass, too. */
function firstIndex(count: number, passes: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
