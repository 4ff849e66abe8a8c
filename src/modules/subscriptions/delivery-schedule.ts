const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits that Standard Webhooks recommends: ten attempts within about three days. */
const WAITS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = 0.1; // a receiver that comes back is not met by everything at once

/** How long to wait after so many failed attempts, up to a tenth longer by chance; undefined when it was the last. */
export function waitAfter(attempts: number, chance = Math.random()): number | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * chance));
}
