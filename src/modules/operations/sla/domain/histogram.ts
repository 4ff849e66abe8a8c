// Durations of requests are counted in fixed buckets, so that the counts of minutes and processes can be added up. Each bound
// is the previous one times the cube root of 2.5, so that both targets are bounds: 2,000 ms (P95) and, three bounds later,
// 5,000 ms (P99).

const ANCHOR_MS = 2000;
const GROWTH = Math.cbrt(2.5);
const BOUNDS_BELOW_ANCHOR = 24;
const BOUNDS_ABOVE_ANCHOR = 9;

/** Upper bounds in milliseconds, from 1.3 ms to 31 s. The last bucket has no upper bound. */
export const BOUNDS_MS: readonly number[] = Array.from(
  { length: BOUNDS_BELOW_ANCHOR + 1 + BOUNDS_ABOVE_ANCHOR },
  (_, index) => Math.round(ANCHOR_MS * GROWTH ** (index - BOUNDS_BELOW_ANCHOR) * 1000) / 1000,
);
export const BUCKETS = BOUNDS_MS.length + 1;

export function emptyHistogram(): number[] {
  return new Array<number>(BUCKETS).fill(0);
}

/** The index of the bucket that counts a duration. */
export function bucketOf(milliseconds: number): number {
  let [low, high] = [0, BOUNDS_MS.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (BOUNDS_MS[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The duration that `percent` % of the requests did not exceed, in whole milliseconds, rounded up; 0 without requests.
 * Interpolates within a bucket: the error is at most its width, 36 % of its lower bound (1.3 ms in the first bucket). The
 * result is above a bound of whole milliseconds only if the exact percentile is.
 */
export function percentile(histogram: readonly number[], percent: number): number {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  const rank = (total * percent) / 100;
  let before = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = BOUNDS_MS[bucket - 1] ?? 0;
      const to = BOUNDS_MS[bucket] ?? from; // the last bucket counts as its lower bound
      return Math.ceil(from + ((to - from) * (rank - before)) / count);
    }
    before += count;
  }
  return 0;
}
