import { DAY_MS } from '../../../../common/durations.js';
import { throwError } from '../../../../common/errors/domain-error.js';
import { Money } from '../../../../common/money.js';

export const DEFAULT_AMOUNT = Money.of('1000.00');
export const MIN_AMOUNT = Money.of('100.00');
export const MAX_AMOUNT = Money.of('10000.00');

/** The cooldown of an address after a request, by the domain clock. */
export const PERIOD = '24h';
const PERIOD_MS = DAY_MS;
export const MAX_REQUESTS_PER_ADDRESS = 1;

/** Days whose payouts are averaged to estimate how long the balance lasts. */
export const PACE_DAYS = 7;

export interface Thresholds {
  readonly low: Money;
  readonly critical: Money;
}

/** `low` is enough for a hundred requests of the default amount, `critical` for ten. */
export const USDC_THRESHOLDS: Thresholds = { low: Money.of('100000.00'), critical: Money.of('10000.00') };
export const ETH_THRESHOLDS: Thresholds = { low: Money.of('0.10'), critical: Money.of('0.01') };

export const LEVELS = ['healthy', 'low', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

export function levelOf(balance: Money, { low, critical }: Thresholds): Level {
  if (balance.isLessThan(critical)) return 'critical';
  return balance.isLessThan(low) ? 'low' : 'healthy';
}

/** The earliest time of an address's next request. */
export function nextAllowed(lastRequest: Date): Date {
  return new Date(lastRequest.getTime() + PERIOD_MS);
}

/** An address is in its cooldown if its last request is later than this. */
export function startOfPeriod(now: Date): Date {
  return new Date(now.getTime() - PERIOD_MS);
}

/** Throws RATE_LIMIT_EXCEEDED for an address whose cooldown is running. */
export function failCooldown(lastRequest: Date, now: Date): never {
  const next = nextAllowed(lastRequest);
  const leftSeconds = Math.ceil((next.getTime() - now.getTime()) / 1000);
  const details = {
    lastRequest: lastRequest.toISOString(),
    nextAllowedRequest: next.toISOString(),
    remainingTime: durationText(leftSeconds),
  };
  const message = 'This address has received test USDC in the last 24 hours. Ask again later.';
  return throwError('RATE_LIMIT_EXCEEDED', details, { message, retryAfterSeconds: leftSeconds });
}

/** A readable time span such as 23h59m5s. */
function durationText(totalSeconds: number): string {
  const hours = Math.floor(totalSeconds / 3600);
  const minutes = Math.floor(totalSeconds / 60) % 60;
  return `${hours}h${minutes}m${totalSeconds % 60}s`;
}

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
