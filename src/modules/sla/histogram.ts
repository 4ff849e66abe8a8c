// Durations of requests, counted in fixed buckets, so that minutes and processes can be added up. Each bound is the one
// before times the cube root of 2.5: the targets, 2,000 and 5,000 ms, are bounds themselves. Pure.

const ANCHOR_MS = 2000;
const GROWTH = Math.cbrt(2.5);
const BELOW = 24;
const ABOVE = 9;

/** Upper bounds in milliseconds, from 1.3 ms to 31 s; one more bucket takes what lies above. */
export const BOUNDS_MS: readonly number[] = Array.from({ length: BELOW + 1 + ABOVE }, (_, index) => {
  const bound = ANCHOR_MS * GROWTH ** (index - BELOW);
  return Math.round(bound * 1000) / 1000;
});
export const BUCKETS = BOUNDS_MS.length + 1;

export function emptyHistogram(): number[] {
  return new Array<number>(BUCKETS).fill(0);
}

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
 * The duration that `percent` of the requests did not exceed, in whole milliseconds, rounded up: within its bucket as if
 * requests lay evenly in it. Right to the width of a bucket, 36 % at most, and exact about which side of a bound it is.
 */
export function percentile(histogram: readonly number[], percent: number): number {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  const rank = (total * percent) / 100;
  let before = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = BOUNDS_MS[bucket - 1] ?? 0;
      const to = BOUNDS_MS[bucket] ?? from; // of what lies above all bounds, nothing else is known
      return Math.ceil(from + ((to - from) * (rank - before)) / count);
    }
    before += count;
  }
  return 0;
}
