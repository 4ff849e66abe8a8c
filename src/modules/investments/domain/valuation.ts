import { addDays, startOfDay, type Day } from '../../../common/days.js';
import type { Moment } from '../../../common/moment.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { NavDay } from '../../strategies/strategies.types.js';
import type { Investment } from '../entities/investment.entity.js';

// The value of an investment on a day. `VALUE_SQL` of investment-values.repository.ts is the same rule in SQL; a test compares
// the two.

/** Units that the principal `amount` buys: at the NAV of the next day, because it earns from that day on. */
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

/** Growth shows from the second midnight after the units were issued: at the first, units × NAV is the principal. */
function firstDayWithGrowth(issuedOn: Day): Day {
  return addDays(issuedOn, 2);
}

// Growth at many moments in the past, computed with integers, because `Money` takes twenty times as long. A thousand
// investments that were made evenly over a year have about 1000 × 365 / 2 = 180,000 daily values.

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
/** Units × NAV is counted in parts of 10⁻⁴⁸ USDC; this many of them are a micro-unit. */
const PRODUCT_PARTS = 10n ** BigInt(2 * UNIT_SCALE - MICRO_SCALE);
const HALF = PRODUCT_PARTS / 2n;
/** How often two divides HALF, and also each product half-way between two micro-units: it is an odd multiple of HALF. */
const HALF_TWOS = twosIn(HALF);

// Products are divided by PRODUCT_PARTS through a multiplication, which takes half as long. RECIPROCAL is rounded up, so a
// quotient is too large by less than 1 / PRODUCT_PARTS for products below 2^SHIFT / PRODUCT_PARTS, about 10^73: its whole part
// is right. A billion units have 34 digits, and a NAV has at most 38.
const SHIFT = 384n;
const RECIPROCAL = (1n << SHIFT) / PRODUCT_PARTS + 1n;
const SHIFTED_HALF = HALF * RECIPROCAL;

/** A NAV, prepared for its multiplications. */
interface PreparedNav {
  readonly nav: bigint;
  /** The NAV times RECIPROCAL. */
  readonly shifted: bigint;
  /** How often two divides the NAV. */
  readonly twos: number;
}

/** The growth of the segments that were open at each moment. The moments are in the order of time. */
export function growthAtMoments(
  segments: readonly InvestmentSegment[],
  navs: readonly PastNav[],
  moments: readonly Moment[],
): Money[] {
  const ends = moments.map(({ until }) => until?.getTime() ?? Infinity);
  const days = moments.map(({ day }) => day);
  const navsByStrategy = groupByStrategy(navs);
  const totals = moments.map(() => 0n);
  for (const [strategyId, strategySegments] of groupByStrategy(segments)) {
    const navByDay = new Map(navsByStrategy.get(strategyId)?.map(({ day, nav }) => [day, prepareNav(nav)]));
    const dailyNavs = days.map((day) => navByDay.get(day));
    const principalChanges = new Array<bigint>(ends.length + 1).fill(0n); // by moment
    for (const segment of strategySegments) {
      const { begin, end } = growingMoments(segment, ends, days);
      addValues(totals, segment.units, dailyNavs, begin, end);
      principalChanges[begin] = (principalChanges[begin] as bigint) + segment.principal;
      principalChanges[end] = (principalChanges[end] as bigint) - segment.principal;
    }
    let openPrincipal = 0n;
    for (const [index, nav] of dailyNavs.entries()) {
      openPrincipal += principalChanges[index] as bigint;
      if (nav) totals[index] = (totals[index] as bigint) - openPrincipal; // without a NAV no value was added
    }
  }
  return totals.map((total) => MICRO_UNIT.times(Money.of(String(total))));
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

/** Adds the value of the units at each NAV from `begin` to `end` (exclusive), in micro-units, rounded half to even. */
function addValues(
  totals: bigint[],
  units: bigint,
  navs: readonly (PreparedNav | undefined)[],
  begin: number,
  end: number,
): void {
  const twos = twosIn(units);
  for (let index = begin; index < end; index++) {
    const prepared = navs[index];
    if (!prepared) continue;
    let value = (units * prepared.shifted + SHIFTED_HALF) >> SHIFT;
    // A half was rounded up; if the result is odd, half-even is one lower.
    const mayBeHalfWay = twos + prepared.twos === HALF_TWOS; // false for nearly all, which saves a division
    if (mayBeHalfWay && (units * prepared.nav) % PRODUCT_PARTS === HALF && value % 2n === 1n) value -= 1n;
    totals[index] = (totals[index] as bigint) + value;
  }
}

function prepareNav(nav: bigint): PreparedNav {
  return { nav, shifted: nav * RECIPROCAL, twos: twosIn(nav) };
}

/** How often two divides a number; 0 for zero. */
function twosIn(value: bigint): number {
  let twos = 0;
  for (let odd = value; odd !== 0n && odd % 2n === 0n; odd /= 2n) twos++;
  return twos;
}

/** The first index below `count` that passes; `count` without one. All indexes after one that passes pass as well. */
function firstIndex(count: number, passes: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function groupByStrategy<Item extends { strategyId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.strategyId);
    if (group) group.push(item);
    else groups.set(item.strategyId, [item]);
  }
  return groups;
}
