import type { Money } from '../../common/money.js';
import type { ChainTransaction } from './chain.js';

// Compares a payment that an admin has entered with its transaction on chain.

export const CHAIN_CHECKS = ['matched', 'mismatch', 'unverified'] as const;
export type ChainCheck = (typeof CHAIN_CHECKS)[number];

/** Why a transaction is a mismatch. */
export const CHAIN_CHECK_REASONS = [
  'TRANSACTION_UNKNOWN',
  'TRANSACTION_REVERTED',
  'NO_SUCH_TRANSFER',
  'OLDER_THAN_REQUEST',
  'SENDER_NOT_CUSTODY',
  'TRANSFER_USED_BEFORE',
] as const;
export type ChainCheckReason = (typeof CHAIN_CHECK_REASONS)[number];

export interface ChainVerdict {
  readonly chainCheck: ChainCheck;
  /** Of a mismatch; null otherwise. */
  readonly reason: ChainCheckReason | null;
}

/** A transaction with the time of its block; null while it waits in the pool. */
export interface SightedTransaction extends ChainTransaction {
  readonly minedAt: Date | null;
}

/** What the chain says of a hash: a transaction, that it knows none, or nothing because it can not be read now. */
export type Sighting = SightedTransaction | 'unknown' | 'unreachable';

/** What a transaction has to have paid. */
export interface Payment {
  readonly amount: Money;
  /** Where it has to have arrived: at any of these. */
  readonly to: readonly string[];
  /** It may have gone elsewhere as well, which can not be told from here: then nothing but the amount is wrong. */
  readonly orElsewhere?: boolean;
  /** Real time, by the database's clock: a transfer of an earlier second paid something else. */
  readonly notBefore?: Date;
  /** Addresses that the transfer has to come from; any address when it is empty or absent. */
  readonly senders?: readonly string[];
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

const UNVERIFIED: ChainVerdict = { chainCheck: 'unverified', reason: null };

const mismatch = (reason: ChainCheckReason): ChainVerdict => ({ chainCheck: 'mismatch', reason });

/**
 * `matched`: successful, with a USDC transfer of exactly the amount to the destination that no other payment has used;
 * where the payment says so, not older than it and from a known sender.
 */
export function judge(sighting: Sighting, payment: Payment): ChainVerdict {
  if (sighting === 'unreachable') return UNVERIFIED;
  if (sighting === 'unknown')
    return payment.waitedMs < UNKNOWN_IS_MISMATCH_AFTER_MS ? UNVERIFIED : mismatch('TRANSACTION_UNKNOWN');
  if (sighting.succeeded === null) return UNVERIFIED;
  if (!sighting.succeeded) return mismatch('TRANSACTION_REVERTED');
  const destinations = lowerCase(payment.to);
  const ofAmount = sighting.transfers.filter(({ amount }) => amount.equals(payment.amount));
  const paying = ofAmount.filter(({ to }) => destinations.has(to.toLowerCase()));
  if (paying.length === 0)
    return payment.orElsewhere && ofAmount.length > 0 ? UNVERIFIED : mismatch('NO_SUCH_TRANSFER');
  if (isOlder(sighting, payment)) return mismatch('OLDER_THAN_REQUEST');
  const senders = lowerCase(payment.senders ?? []);
  const fromCustody = paying.filter(({ from }) => senders.size === 0 || senders.has(from.toLowerCase()));
  if (fromCustody.length === 0) return mismatch('SENDER_NOT_CUSTODY');
  if (fromCustody.length > payment.paidBefore) return { chainCheck: 'matched', reason: null };
  return payment.orElsewhere && ofAmount.length > paying.length
    ? UNVERIFIED
    : mismatch('TRANSFER_USED_BEFORE');
}

function lowerCase(addresses: readonly string[]): Set<string> {
  return new Set(addresses.map((address) => address.toLowerCase()));
}

/** Compares whole seconds: blocks know no smaller unit. */
function isOlder({ minedAt }: SightedTransaction, { notBefore }: Payment): boolean {
  if (!notBefore) return false;
  return minedAt === null || minedAt.getTime() < Math.floor(notBefore.getTime() / 1000) * 1000;
}
