import { MICRO_SCALE, Money } from '../../../common/money.js';

/** An investment between two of its movements, as far as it grows; money and units as the driver returns them. */
export interface GrowingSegment {
  readonly strategyId: string;
  readonly units: string;
  readonly principal: string;
  /** Places of the first moment at which the segment grows, and of the first one after it. */
  readonly first: number;
  readonly end: number;
}

/** NAVs by the place of the moment at which they are in force. */
export type PastNavs = ReadonlyMap<string, readonly (string | undefined)[]>;

const MICRO = 10 ** MICRO_SCALE;
/** Above the relative error of a product of two decimals that were read as floating-point numbers: four roundings of 2⁻⁵³. */
const RELATIVE_ERROR = 2 ** -50;
const MICRO_UNIT = Money.of('0.000001');

/**
 * Unrealised growth at each of `count` moments: the sum of `valueOf(…)` minus principal over the segments. Years of days times
 * a thousand investments are too many decimal products for one request, so a floating-point product in micro-units decides
 * where its error bound leaves one rounded result, and decimals decide where it leaves two.
 */
export function growthAtMoments(segments: readonly GrowingSegment[], navs: PastNavs, count: number): Money[] {
  const micros = new Float64Array(count); // integers
  const exact = new Map<number, Money>();
  const most = Number.MAX_SAFE_INTEGER / (2 * Math.max(1, segments.length)); // so that no sum is rounded
  const microNavs = new Map(
    [...navs].map(([id, texts]) => [id, texts.map((text) => approximate(text) * MICRO)]),
  );
  for (const { strategyId, units, principal, first, end } of segments) {
    const factors = microNavs.get(strategyId) ?? [];
    const unitCount = approximate(units);
    const principalMicros = Math.round(approximate(principal) * MICRO);
    for (let place = first; place < end; place++) {
      const factor = factors[place];
      if (factor === undefined || Number.isNaN(factor)) continue; // the day has no value
      const product = unitCount * factor;
      if (product < most && principalMicros < most && hasOneRounding(product)) {
        micros[place] = (micros[place] as number) + Math.round(product) - principalMicros;
      } else {
        const nav = Money.of(navs.get(strategyId)?.[place] as string);
        const growth = Money.of(units).times(nav).roundHalfEven(MICRO_SCALE).minus(Money.of(principal));
        exact.set(place, (exact.get(place) ?? Money.ZERO).plus(growth));
      }
    }
  }
  return Array.from(micros, (sum, place) =>
    Money.of(String(sum))
      .times(MICRO_UNIT)
      .plus(exact.get(place) ?? Money.ZERO),
  );
}

/** The nearest floating-point number; NaN without a text. Only `hasOneRounding` makes a result of it exact. */
function approximate(text: string | undefined): number {
  return Number(text);
}

/** True if all numbers within the error of the product round to the same integer. */
function hasOneRounding(product: number): boolean {
  return Math.abs(product - Math.floor(product) - 0.5) > product * RELATIVE_ERROR;
}
