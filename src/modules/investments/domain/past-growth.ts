import type { Day } from '../../../common/days.js';
import { MICRO_SCALE, Money, UNIT_SCALE } from '../../../common/money.js';
import type { Moment } from '../../../common/moment.js';
import { firstGrowth } from './valuation.js';

// Integers instead of Money, which would take twenty times as long: a year of a thousand investments has 180,000 values.

/** An investment between two of its movements. */
export interface InvestmentSegment {
  readonly strategyId: string;
  readonly issuedOn: Day;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Infinity while it lasts. */
  readonly until: number;
  /** In parts of 10⁻²⁴ units. */
  readonly units: bigint;
  /** In micro-units. */
  readonly principal: bigint;
}

/** The value of one unit on a day, in parts of 10⁻²⁴ USDC. */
export interface PastNav {
  readonly strategyId: string;
  readonly day: Day;
  readonly nav: bigint;
}

const MICRO_UNIT = Money.of('0.000001');
/** A product of units and a NAV has this many parts in a micro-unit. */
const PRODUCT_PARTS = 10n ** BigInt(2 * UNIT_SCALE - MICRO_SCALE);
const HALF = PRODUCT_PARTS / 2n;
/** The power of two in HALF. A product half-way between two micro-units is an odd multiple of HALF, so it has at least this one. */
const HALF_TWOS = twosIn(HALF);

// Products are divided by PRODUCT_PARTS through a multiplication, which takes half as long. RECIPROCAL is rounded up, so a
// quotient is too large by less than 1 / PRODUCT_PARTS for products below 2^SHIFT / PRODUCT_PARTS, about 10^73: its whole part
// is right. A billion units have 34 digits, and a NAV has at most 38.
const SHIFT = 384n;
const RECIPROCAL = (1n << SHIFT) / PRODUCT_PARTS + 1n;
const SHIFTED_HALF = HALF * RECIPROCAL;

/** A NAV, prepared for the multiplications of a day. */
interface Price {
  readonly nav: bigint;
  /** The NAV times RECIPROCAL. */
  readonly shifted: bigint;
  /** The exponent of the power of two in the NAV. */
  readonly twos: number;
}

/** The growth of the segments that were open at each moment, over their principals. The moments are in the order of time. */
export function growthAtMoments(
  segments: readonly InvestmentSegment[],
  navs: readonly PastNav[],
  moments: readonly Moment[],
): Money[] {
  const ends = moments.map(({ until }) => until?.getTime() ?? Infinity);
  const days = moments.map(({ day }) => day);
  const navsOf = grouped(navs);
  const totals = moments.map(() => 0n);
  for (const [strategyId, ofStrategy] of grouped(segments)) {
    const priceOn = new Map(navsOf.get(strategyId)?.map(({ day, nav }) => [day, priceOf(nav)]));
    const prices = days.map((day) => priceOn.get(day));
    const principals = new Array<bigint>(ends.length + 1).fill(0n); // the change at each moment
    for (const { issuedOn, since, until, units, principal } of ofStrategy) {
      const first = firstGrowth(issuedOn);
      const begin = firstPlace(
        ends.length,
        (at) => (ends[at] as number) > since && (days[at] as Day) >= first,
      );
      const end = Math.max(
        begin,
        firstPlace(ends.length, (at) => (ends[at] as number) > until),
      );
      addValues(totals, units, prices, begin, end);
      principals[begin] = (principals[begin] as bigint) + principal;
      principals[end] = (principals[end] as bigint) - principal;
    }
    let open = 0n;
    for (const [place, price] of prices.entries()) {
      open += principals[place] as bigint;
      if (price) totals[place] = (totals[place] as bigint) - open;
    }
  }
  return totals.map((total) => MICRO_UNIT.times(Money.of(String(total))));
}

/** Adds the value of the units at each price from `begin` to `end` (exclusive), in micro-units, rounded half to even. */
function addValues(
  totals: bigint[],
  units: bigint,
  prices: readonly (Price | undefined)[],
  begin: number,
  end: number,
): void {
  const twos = twosIn(units);
  for (let place = begin; place < end; place++) {
    const price = prices[place];
    if (!price) continue;
    let value = (units * price.shifted + SHIFTED_HALF) >> SHIFT;
    const mayBeHalfWay = twos + price.twos >= HALF_TWOS; // false for nearly all, which saves a division
    if (mayBeHalfWay && (units * price.nav) % PRODUCT_PARTS === HALF && value % 2n === 1n) value -= 1n;
    totals[place] = (totals[place] as bigint) + value;
  }
}

function priceOf(nav: bigint): Price {
  return { nav, shifted: nav * RECIPROCAL, twos: twosIn(nav) };
}

/** The exponent of the power of two in a number. */
function twosIn(value: bigint): number {
  let twos = 0;
  for (let rest = value; rest !== 0n && rest % 2n === 0n; rest /= 2n) twos++;
  return twos;
}

/** The first of `count` places that passes; `count` if none does. All places after one that passes pass as well. */
function firstPlace(count: number, passes: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function grouped<Item extends { strategyId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.strategyId);
    if (group) group.push(item);
    else groups.set(item.strategyId, [item]);
  }
  return groups;
}
