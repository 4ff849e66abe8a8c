import { MICRO_SCALE, Money } from '../../../common/money.js';
import { growthAtMoments, type GrowingSegment, type PastNavs } from './past-growth.js';

/** The sum by decimals alone. */
function byDecimals(segments: readonly GrowingSegment[], navs: PastNavs, place: number): string {
  return Money.sum(
    segments
      .filter(({ first, end }) => first <= place && place < end)
      .flatMap(({ strategyId, units, principal }) => {
        const nav = navs.get(strategyId)?.[place];
        if (nav === undefined) return [];
        const value = Money.of(units).times(Money.of(nav)).roundHalfEven(MICRO_SCALE);
        return [value.minus(Money.of(principal))];
      }),
  ).toString();
}

/** Linear congruential numbers between 0 and 1, the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

const COUNT = 12;
const digits = (next: () => number, count: number) =>
  Array.from({ length: count }, () => Math.floor(next() * 10)).join('');

function randomCase(seed: number): { segments: GrowingSegment[]; navs: PastNavs } {
  const next = numbersFrom(seed);
  const navs = new Map(
    ['one', 'two'].map((id) => [
      id,
      Array.from({ length: COUNT }, () => (next() < 0.1 ? undefined : `1.${digits(next, 24)}`)),
    ]),
  );
  const segments = Array.from({ length: 40 }, () => {
    const first = Math.floor(next() * COUNT);
    const whole = String(Math.floor(10 ** (next() * 14)));
    return {
      strategyId: next() < 0.5 ? 'one' : 'two',
      units: next() < 0.3 ? `${whole}.0000005` : `${whole}.${digits(next, 24)}`,
      principal: `${whole}.${digits(next, 6)}`,
      ...{ first, end: first + Math.floor(next() * (COUNT - first + 1)) },
    };
  });
  return { segments, navs };
}

describe('growthAtMoments', () => {
  it.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'equals the sum by decimals at each moment (random case %d)',
    (seed) => {
      const { segments, navs } = randomCase(seed);
      const growth = growthAtMoments(segments, navs, COUNT).map(String);
      expect(growth).toEqual(growth.map((_, place) => byDecimals(segments, navs, place)));
    },
  );

  it.each([
    ['0.0000005', '1', '0'],
    ['0.0000015', '1', '0.000002'],
    ['1', '1.0000025', '1.000002'],
    ['1', '1.000002500000000000000001', '1.000003'],
    ['1', '1.000002499999999999999999', '1.000002'],
    ['1000000000000', '1.0000000000000000005', '1000000000000'],
    ['3000000000000', '1.0000000000000000005', '3000000000000.000002'],
  ])('rounds ties and their neighbours by decimals: %s units at %s', (units, nav, value) => {
    const segment = { strategyId: 'one', units, principal: '0', first: 0, end: 1 };
    expect(growthAtMoments([segment], new Map([['one', [nav]]]), 1).map(String)).toEqual([value]);
  });

  it('is zero at moments without a segment', () => {
    expect(growthAtMoments([], new Map(), 2).map(String)).toEqual(['0', '0']);
  });
});
