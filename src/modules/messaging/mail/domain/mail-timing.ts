import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../common/durations.js';
import { jitteredDelayMs } from '../../../../common/retry-delay.js';
import { collapse, windowMsOf } from '../../../../events/collapsing.js';
import type { Mail } from '../entities/mail.entity.js';
import type { MailDetails, NewMail, UserMail } from '../mail.types.js';

/** How many events after the first one a mail lists; of the others it states the number. */
const MAX_FURTHER_DETAILS = 100;

/** A mail to a user that may become a part of a mail about several events. */
export interface Arrival extends NewMail {
  readonly id: string;
  readonly userId: string;
  readonly at: Date;
}

type GrowingMail = UserMail & { repeats: number | null; furtherDetails: readonly MailDetails[] };

/** Returns the new mails for the arrivals, and the earlier mails that grow by them. `earlier`: see `findEarlierInWindows`. */
export function collapseMails(
  arrivals: readonly Arrival[],
  earlier: readonly UserMail[],
  now: Date,
): { added: UserMail[]; grown: UserMail[] } {
  return collapse<Arrival, GrowingMail>(arrivals, {
    earlier,
    toFirst: (arrival) => mailOfOne(arrival, now),
    toSummary: (arrival, first) => {
      const windowEnd = new Date(first.createdAt.getTime() + windowMsOf(arrival.kind));
      return { ...mailOfOne(arrival, now), repeats: 1, dueAt: windowEnd > now ? windowEnd : now };
    },
    grow: (summary, { details }) => {
      summary.repeats = (summary.repeats ?? 0) + 1;
      if (summary.furtherDetails.length < MAX_FURTHER_DETAILS)
        summary.furtherDetails = [...summary.furtherDetails, details];
    },
  });
}

/** The mail about one event. */
export function mailOfOne({ id, userId, at, kind, details, recipient }: Arrival, now: Date): UserMail {
  const fields = { createdAt: at, dueAt: now, repeats: null, furtherDetails: [] };
  return { id, userId, kind, details, ...(recipient === undefined ? {} : { recipient }), ...fields };
}

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
