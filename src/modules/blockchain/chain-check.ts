import type { Money } from '../../kernel/money.js';
import type { ChainTransaction } from './chain.js';

// What an admin says has been paid, compared with what the chain shows of it (D41).

export const CHAIN_CHECKS = ['matched', 'mismatch', 'unverified'] as const;
export type ChainCheck = (typeof CHAIN_CHECKS)[number];

/** What the chain says of a hash: a transaction, that it knows none, or nothing because it can not be read now. */
export type Sighting = ChainTransaction | 'unknown' | 'unreachable';

/** What a transaction has to have paid. */
export interface Payment {
  readonly amount: Money;
  /** Where it has to have arrived: at any of these. */
  readonly to: readonly string[];
  /** It may have gone elsewhere as well, which can not be told from here: then nothing but the amount is wrong. */
  readonly orElsewhere?: boolean;
  /** What this hash is known to have paid of the same address and amount: a transfer pays only once. */
  readonly paidBefore: number;
  /** Since the hash was entered. */
  readonly waitedMs: number;
}

/** A hash that the chain does not know by then is not going to be mined. */
export const UNKNOWN_IS_MISMATCH_AFTER_MS = 3_600_000;

const EVM_HASH = /^0x[0-9a-f]{64}$/;

const HASH = /^(0x)?[0-9a-f]{64}$/; // other chains leave the prefix out

/** One transaction has one form, so that the same hash can not be entered twice in other letters. */
export function normalHash(given: string): string {
  const text = given.trim();
  return HASH.test(text.toLowerCase()) ? text.toLowerCase() : text;
}

/** With the prefix and without it is the same transfer, whoever tells of it: the forms that may be stored. */
export function formsOf(hash: string): string[] {
  const digits = digitsOf(hash);
  return HASH.test(hash) ? [digits, `0x${digits}`] : [hash];
}

/** The same of both forms. */
export function digitsOf(hash: string): string {
  return HASH.test(hash) ? hash.replace(/^0x/, '') : hash;
}

/** False for text that no EVM chain can know, so that it need not be asked. */
export function isEvmHash(hash: string): hash is `0x${string}` {
  return EVM_HASH.test(hash);
}

/** `matched`: successful, with a USDC transfer of exactly the amount to the destination. */
export function judge(sighting: Sighting, payment: Payment): ChainCheck {
  if (sighting === 'unreachable') return 'unverified';
  if (sighting === 'unknown')
    return payment.waitedMs < UNKNOWN_IS_MISMATCH_AFTER_MS ? 'unverified' : 'mismatch';
  if (sighting.succeeded === null) return 'unverified';
  if (!sighting.succeeded) return 'mismatch';
  const destinations = new Set(payment.to.map((address) => address.toLowerCase()));
  const ofAmount = sighting.transfers.filter(({ amount }) => amount.equals(payment.amount));
  const paying = ofAmount.filter(({ to }) => destinations.has(to.toLowerCase()));
  if (paying.length > payment.paidBefore) return 'matched';
  return payment.orElsewhere && ofAmount.length > paying.length ? 'unverified' : 'mismatch';
}
