/** Nonces of an account, read twice: before the chain's transaction count is read, and afterwards under the account's lock. */
export interface Nonces {
  /** The nonce after the last one that was used. */
  readonly next: number;
  /** The number of signatures so far. Unlike `next` it always grows, also after the chain was set back. */
  readonly signatures: number;
  /** Nonces of payouts that are not mined yet. */
  readonly pending: readonly number[];
}

/**
 * The nonce of the next transaction. The chain's transaction count decides, because the chain can be set back and the
 * account can be used elsewhere. If other requests used nonces after the first reading, the nonce follows theirs. Gaps are
 * filled, because no transaction after a gap is mined.
 */
export function nextNonce(minedCount: number, before: Nonces, underLock: Nonces): number {
  const wasUsedMeanwhile = underLock.signatures !== before.signatures;
  let nonce = wasUsedMeanwhile ? Math.max(minedCount, underLock.next) : minedCount;
  // Pending transactions of both readings are skipped: one of `before` may have been mined after the count was read.
  while (before.pending.includes(nonce) || underLock.pending.includes(nonce)) nonce++;
  return nonce;
}
