/** What was known of an account before the chain was asked for its count of transactions. */
export interface Nonces {
  /** After the last one that was given out. */
  readonly next: number;
  /** How many were given out ever. */
  readonly signatures: number;
  /** Of payouts that are not mined yet. */
  readonly underWay: readonly number[];
}

/**
 * The nonce of the next transaction. The chain's own count decides, for a chain can be set back or used by somebody
 * else; but what was signed while it was asked, it can not have counted. Gaps are filled: behind one nothing is mined.
 */
export function nextNonce(count: number, before: Nonces, now: Nonces): number {
  const isMoved = now.signatures !== before.signatures;
  let nonce = isMoved ? Math.max(count, now.next) : count;
  while (before.underWay.includes(nonce) || now.underWay.includes(nonce)) nonce++;
  return nonce;
}
