/** The assets that users can own; USDC has a tree every day. */
export const LIABILITY_ASSETS = ['USDC', 'USDT', 'ETH'] as const;
export type LiabilityAsset = (typeof LIABILITY_ASSETS)[number];

/** By the database's clock: transactions with an earlier domain time have begun to write until then. */
export const SECONDS_AFTER_MIDNIGHT = 60;
/** How long after midnight the assets of custody are read from the chain; later the books state those of the midnight. */
export const READ_CHAIN_WITHIN_SECONDS = 300;
/**
 * How long after midnight the credits count that can have filled an account before a debit of the day: clocks of two
 * processes differ by up to two minutes, and a transaction can wait for locks after it has read its clock.
 */
export const LATE_CREDIT_SECONDS = 300;
/** How long a run waits for transactions that are writing. The next run tries again. */
export const MAX_WAIT_MS = 2000;
/** How often a waiting run looks. */
export const WAIT_STEP_MS = 25;
/** Days that one run closes. */
export const MAX_DAYS_PER_RUN = 31;
/** Chunks of 256 leaves that one transaction writes: about one megabyte. */
export const CHUNKS_AT_ONCE = 32;
/** Trees whose leaves one run of the retention job deletes. */
export const OLD_TREES_AT_ONCE = 100;
/** How long clients may store answers about closed days. */
export const CACHED_DAY_SECONDS = 3600;
