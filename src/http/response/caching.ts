import { DAY_MS } from '../../common/durations.js';

const YEAR_SECONDS = (365 * DAY_MS) / 1000;

/** The value of `Cache-Control` for public data, which clients and proxies may store. Errors are never stored. */
export const publicFor = (seconds: number): string => `public, max-age=${seconds}`;

/** For public data that never changes. */
export const PUBLIC_FOREVER = `${publicFor(YEAR_SECONDS)}, immutable`;
