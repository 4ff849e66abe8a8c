import { collapse, windowMsOf } from '../../../../events/collapsing.js';
import type { MailDetails, NewMail, UserMail } from '../mail.types.js';

/** The events after the first one that a mail lists; it states the number of further events. */
const MAX_FURTHER_DETAILS = 100;

/** A mail to a user that may become a part of a mail about several events. */
export interface Arrival extends NewMail {
  readonly id: string;
  readonly userId: string;
  readonly at: Date;
}

type GrowingMail = UserMail & { repeats: number | null; furtherDetails: readonly MailDetails[] };

/** Returns the new mails for the arrivals, and the earlier mails that grow by them. `earlier`: the mails that may grow. */
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
