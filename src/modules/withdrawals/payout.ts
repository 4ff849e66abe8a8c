import type { Money } from '../../kernel/money.js';
import type { ChainTransaction } from '../blockchain/chain.js';

export const CHAIN_CHECKS = ['matched', 'mismatch', 'unverified'] as const;
export type ChainCheck = (typeof CHAIN_CHECKS)[number];

/** What the chain says of a hash: a transaction, that it knows none, or nothing because it can not be read now. */
export type Sighting = ChainTransaction | 'unknown' | 'unreachable';

/** What a withdrawal's transaction has to have paid. */
export interface Payout {
  readonly toAddress: string;
  readonly amount: Money;
  /** Withdrawals of the same address and amount that this hash is known to have paid: a transfer pays only one. */
  readonly paidBefore: number;
  /** Since the withdrawal was completed. */
  readonly waitedMs: number;
}

/** A hash that the chain does not know by then is not going to be mined. */
export const UNKNOWN_IS_MISMATCH_AFTER_MS = 3_600_000;

const EVM_HASH = /^0x[0-9a-f]{64}$/;

/** One transaction has one form, so that the same hash can not be entered twice in other letters. */
export function normalHash(given: string): string {
  const text = given.trim();
  return EVM_HASH.test(text.toLowerCase()) ? text.toLowerCase() : text;
}

/** False for text that no EVM chain can know, so that it need not be asked. */
export function isEvmHash(hash: string): hash is `0x${string}` {
  return EVM_HASH.test(hash);
}

/** `matched`: successful, with a USDC transfer of exactly the amount to the destination (D41). */
export function judge(sighting: Sighting, payout: Payout): ChainCheck {
  if (sighting === 'unreachable') return 'unverified';
  if (sighting === 'unknown')
    return payout.waitedMs < UNKNOWN_IS_MISMATCH_AFTER_MS ? 'unverified' : 'mismatch';
  if (sighting.succeeded === null) return 'unverified';
  if (!sighting.succeeded) return 'mismatch';
  const paying = sighting.transfers.filter(
    ({ to, amount }) => to.toLowerCase() === payout.toAddress.toLowerCase() && amount.equals(payout.amount),
  );
  return paying.length > payout.paidBefore ? 'matched' : 'mismatch';
}
