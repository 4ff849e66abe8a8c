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
const ZERO_BITS = 2 * UNIT_SCALE - MICRO_SCALE; // a multiple of PRODUCT_PARTS, a power of ten, ends with as many zero bits

/** The growth of the segments that were open at each moment, over their principals. The moments are in the order of time. */
export function growthAtMoments(
  segments: readonly InvestmentSegment[],
  navs: readonly PastNav[],
  moments: readonly Moment[],
): Money[] {
  const ends = moments.map(({ until }) => until?.getTime() ?? Infinity);
  const days = moments.map(({ day }) => day);
  const navsOf = new Map<string, (bigint | undefined)[]>();
  for (const [strategyId, navOf] of navsByDay(navs))
    navsOf.set(
      strategyId,
      days.map((day) => navOf.get(day)),
    );
  const totals = moments.map(() => 0n);
  for (const { strategyId, issuedOn, since, until, units, principal } of segments) {
    const first = firstGrowth(issuedOn);
    const navOf = navsOf.get(strategyId) ?? [];
    const begin = Math.max(
      firstPlace(ends, (end) => end > since),
      firstPlace(days, (day) => day >= first),
    );
    for (let place = begin; place < ends.length && (ends[place] as number) <= until; place++) {
      const nav = navOf[place];
      if (nav !== undefined)
        totals[place] = (totals[place] as bigint) + roundedHalfEven(units * nav) - principal;
    }
  }
  return totals.map((total) => MICRO_UNIT.times(Money.of(String(total))));
}

/** The index of the first item that passes; the number of items if none does. */
function firstPlace<Item>(items: readonly Item[], passes: (item: Item) => boolean): number {
  const place = items.findIndex(passes);
  return place < 0 ? items.length : place;
}

function navsByDay(navs: readonly PastNav[]): Map<string, Map<Day, bigint>> {
  const byStrategy = new Map<string, Map<Day, bigint>>();
  for (const { strategyId, day, nav } of navs) {
    const byDay = byStrategy.get(strategyId) ?? new Map<Day, bigint>();
    byStrategy.set(strategyId, byDay.set(day, nav));
  }
  return byStrategy;
}

/** A product in micro-units. */
function roundedHalfEven(product: bigint): bigint {
  const raised = product + HALF;
  const rounded = raised / PRODUCT_PARTS;
  // A half-way product was raised to a multiple of PRODUCT_PARTS. The bits exclude nearly all others without a second division.
  const isHalfWay = BigInt.asUintN(ZERO_BITS, raised) === 0n && raised % PRODUCT_PARTS === 0n;
  return isHalfWay && rounded % 2n === 1n ? rounded - 1n : rounded;
}
