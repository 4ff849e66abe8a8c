const JITTER = 0.1; // spreads the retries to a party that was down

/** The delay after `attempts` failed attempts, plus up to a tenth at random; undefined if no further attempt follows. */
export function jitteredDelayMs(
  delaysMs: readonly number[],
  attempts: number,
  random = Math.random(),
): number | undefined {
  const delayMs = delaysMs[attempts - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + JITTER * random));
}
