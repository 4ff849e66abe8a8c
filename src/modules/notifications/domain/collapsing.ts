import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import type { Notification } from '../entities/notification.entity.js';
import { priorityRank, type NotificationContent } from '../notifications.types.js';

// Equal kinds of one user within ten minutes: the first is a notification of its own, and the others are one with a count. Of
// deposits below DUST_THRESHOLD, the first of a day is notified, and the others are only listed.

const COLLAPSE_MS = 10 * MINUTE_MS;
const WINDOW_MS_OF: Readonly<Record<string, number>> = { 'deposit.dust': DAY_MS };
export const LONGEST_WINDOW_MS = DAY_MS;

/** A notification that may become a part of another one. */
export interface Arrival {
  readonly id: string;
  readonly userId: string;
  readonly at: Date;
  /** The name of the domain event, or `deposit.dust`. */
  readonly kind: string;
  readonly content: NotificationContent;
}

/** The notifications that `arrivals` add, and those that grow. `earlier`: those of their kinds and users, in any order. */
export function collapse(
  arrivals: readonly Arrival[],
  earlier: readonly Notification[],
): { added: Notification[]; grown: Notification[] } {
  const added: Notification[] = [];
  const grown = new Map<string, Notification>();
  for (const arrival of arrivals) {
    const known = [...earlier, ...added].filter(
      ({ userId, kind }) => userId === arrival.userId && kind === arrival.kind,
    );
    const windowMs = WINDOW_MS_OF[arrival.kind] ?? COLLAPSE_MS;
    const began = known.find(
      ({ repeats, createdAt }) => repeats === null && arrival.at.getTime() - createdAt.getTime() < windowMs,
    );
    if (!began) added.push(single(arrival));
    else if (arrival.kind !== 'deposit.dust') {
      const summary = known.find(
        ({ repeats, createdAt }) => repeats !== null && createdAt >= began.createdAt,
      );
      if (!summary) added.push(counted(single(arrival), 1));
      else {
        const larger = Object.assign(summary, counted(single(arrival), (summary.repeats ?? 0) + 1), {
          id: summary.id,
        });
        if (!added.includes(larger)) grown.set(larger.id, larger);
      }
    }
  }
  return { added, grown: [...grown.values()] };
}

function single({ id, userId, at, kind, content }: Arrival): Notification {
  const fields = { createdAt: at, readAt: null, onceKey: null, kind, repeats: null };
  return { ...content, ...fields, id, userId, priorityRank: priorityRank(content.priority) };
}

/** A notification that stands for `count` of a kind, with the text of the last one. */
function counted(last: Notification, count: number): Notification {
  const message =
    count === 1 ? last.message : `${count} more within ten minutes. The last one: ${last.message}`;
  return {
    ...last,
    title: count === 1 ? last.title : `${last.title}: ${count} more`,
    message,
    metadata: { ...last.metadata, count },
    repeats: count,
  };
}
