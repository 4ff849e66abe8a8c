/** Ledger entries whose transactions enter the log with one database transaction, which is short for that reason. */
export const ENTRIES_PER_BATCH = 5_000;
/** How long a run waits for transactions that are writing. The next run seals the rest. */
export const MAX_WAIT_MS = 2000;
/** How often a waiting run looks. */
export const WAIT_STEP_MS = 25;
/** Old checkpoints that one statement deletes. */
export const CHECKPOINTS_PER_DELETE = 5000;
/** How long clients may store the list of checkpoints, keys and partial tiles. */
export const CACHED_SECONDS = 60;
/** How long clients may store the newest checkpoint. */
export const CACHED_CHECKPOINT_SECONDS = 5;
