import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../common/durations.js';
import { jitteredDelayMs } from '../../../../common/retry-delay.js';
import type { Mail } from '../entities/mail.entity.js';

/** The delays after the first attempts. The last delay repeats until the mail is given up. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
] as const;
const GIVE_UP_AFTER_MS = 72 * HOUR_MS;

/** The state of a mail whose `attempts`-th attempt has failed. The last attempt is due 72 hours after the event. */
export function mailAfterFailure(
  { createdAt, attempts }: Pick<Mail, 'createdAt' | 'attempts'>,
  now: Date,
  random = Math.random(),
): Pick<Mail, 'status' | 'dueAt' | 'settledAt'> {
  const lastAttemptMs = createdAt.getTime() + GIVE_UP_AFTER_MS;
  if (now.getTime() >= lastAttemptMs) return { status: 'given-up', dueAt: now, settledAt: now };
  const step = Math.min(attempts, RETRY_DELAYS_MS.length);
  const delayMs = jitteredDelayMs(RETRY_DELAYS_MS, step, random) ?? 0; // never undefined: `step` has a delay
  const dueAt = new Date(Math.min(now.getTime() + delayMs, lastAttemptMs));
  return { status: 'waiting', dueAt, settledAt: null };
}
