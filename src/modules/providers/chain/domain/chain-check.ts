import { HOUR_MS } from '../../../../common/durations.js';
import type { Money } from '../../../../common/money.js';
import type { ChainTransaction } from '../chain.client.js';

// Compares a payment that an admin has entered with its transaction on chain.

export const CHAIN_CHECKS = ['matched', 'mismatch', 'unverified'] as const;
export type ChainCheck = (typeof CHAIN_CHECKS)[number];

export const CHAIN_CHECK_REASONS = [
  'TRANSACTION_UNKNOWN',
  'TRANSACTION_REVERTED',
  'NO_SUCH_TRANSFER',
  'OLDER_THAN_REQUEST',
  'SENDER_NOT_CUSTODY',
  'TRANSFER_USED_BEFORE',
] as const;
export type ChainCheckReason = (typeof CHAIN_CHECK_REASONS)[number];

export interface ChainCheckResult {
  readonly chainCheck: ChainCheck;
  /** The reason of a mismatch; null otherwise. */
  readonly reason: ChainCheckReason | null;
}

export interface LookedUpTransaction extends ChainTransaction {
  /** Time of the block; null while the transaction is pending, or if the node does not say. */
  readonly minedAt: Date | null;
}

/** Result of looking up a hash: its transaction, `unknown` to the chain, or `unreachable` when the node fails. */
export type TransactionLookup = LookedUpTransaction | 'unknown' | 'unreachable';

/** The payment that a transaction is expected to contain. */
export interface Payment {
  readonly amount: Money;
  /** Addresses of which one has to be the recipient. */
  readonly to: readonly string[];
  /** True if the recipient may be an address that the platform does not know: then a wrong recipient is no mismatch. */
  readonly mayHaveOtherRecipient?: boolean;
  /** When the payment was requested, in real time of the database: a transfer of an earlier second is another payment. */
  readonly notBefore?: Date;
  /** Addresses of which one has to be the sender; any sender is accepted when the list is empty or absent. */
  readonly senders?: readonly string[];
  /** Number of earlier payments with the same hash, recipient and amount: one transfer pays only once. */
  readonly paidBefore: number;
  /** Time since the hash was entered. */
  readonly waitedMs: number;
}

/** How long a hash that the chain does not know stays unverified after it was entered; then it is a mismatch. */
export const UNKNOWN_IS_MISMATCH_AFTER_MS = HOUR_MS;

/** Bounds the text of an alert. */
const MAX_SENDERS = 5;

const UNVERIFIED: ChainCheckResult = { chainCheck: 'unverified', reason: null };

const mismatch = (reason: ChainCheckReason): ChainCheckResult => ({ chainCheck: 'mismatch', reason });

/**
 * `matched`: the transaction succeeded, and one of its USDC transfers has exactly the amount and the recipient, belongs to
 * no earlier payment and, where the payment requires it, is recent enough and comes from a known sender.
 */
export function verifyPayment(lookup: TransactionLookup, payment: Payment): ChainCheckResult {
  if (lookup === 'unreachable') return UNVERIFIED;
  if (lookup === 'unknown')
    return payment.waitedMs < UNKNOWN_IS_MISMATCH_AFTER_MS ? UNVERIFIED : mismatch('TRANSACTION_UNKNOWN');
  if (lookup.succeeded === null) return UNVERIFIED;
  if (!lookup.succeeded) return mismatch('TRANSACTION_REVERTED');
  const recipients = lowerCase(payment.to);
  const ofAmount = lookup.transfers.filter(({ amount }) => amount.equals(payment.amount));
  const toRecipient = ofAmount.filter(({ to }) => recipients.has(to.toLowerCase()));
  if (toRecipient.length === 0)
    return payment.mayHaveOtherRecipient && ofAmount.length > 0 ? UNVERIFIED : mismatch('NO_SUCH_TRANSFER');
  if (payment.notBefore) {
    if (lookup.minedAt === null) return UNVERIFIED;
    if (isBlockBefore(lookup.minedAt, payment.notBefore)) return mismatch('OLDER_THAN_REQUEST');
  }
  const senders = lowerCase(payment.senders ?? []);
  const fromSender = toRecipient.filter(({ from }) => senders.size === 0 || senders.has(from.toLowerCase()));
  if (fromSender.length === 0) return mismatch('SENDER_NOT_CUSTODY');
  if (fromSender.length > payment.paidBefore) return { chainCheck: 'matched', reason: null };
  // Another transfer of the amount may be the payment, to a recipient that the platform does not know.
  return payment.mayHaveOtherRecipient && ofAmount.length > toRecipient.length
    ? UNVERIFIED
    : mismatch('TRANSFER_USED_BEFORE');
}

/**
 * The senders of the transfers of the payment's amount to its recipient or, without such a transfer, of all transfers of the
 * transaction. They are for operators, who compare them with the addresses of custody.
 */
export function sendersOf(lookup: TransactionLookup, payment: Pick<Payment, 'to' | 'amount'>): string[] {
  if (typeof lookup === 'string') return [];
  const recipients = lowerCase(payment.to);
  const paying = lookup.transfers.filter(
    ({ to, amount }) => amount.equals(payment.amount) && recipients.has(to.toLowerCase()),
  );
  const senders = (paying.length > 0 ? paying : lookup.transfers).map(({ from }) => from);
  return [...new Set(senders)].slice(0, MAX_SENDERS);
}

function lowerCase(addresses: readonly string[]): Set<string> {
  return new Set(addresses.map((address) => address.toLowerCase()));
}

/** Whether a block is older than an instant of real time, in whole seconds. */
export function isBlockBefore(minedAt: Date, instant: Date): boolean {
  return minedAt.getTime() < Math.floor(instant.getTime() / 1000) * 1000;
}
