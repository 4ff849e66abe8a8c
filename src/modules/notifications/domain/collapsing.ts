import { Groups } from '../../../common/groups.js';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import type { Notification } from '../entities/notification.entity.js';
import { priorityRank, type NotificationContent } from '../notifications.types.js';

// Equal kinds of one user within ten minutes: the first is a notification of its own, and the others are one with a count. Of
// deposits below DUST_THRESHOLD, the first of a day is notified, and the others are only listed.

const COLLAPSE_MS = 10 * MINUTE_MS;
const DUST_MS = DAY_MS;
/** The kind of deposits below DUST_THRESHOLD. */
export const DUST = 'deposit.dust';

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
  const known = new Groups<Notification>();
  for (const notification of earlier) known.addTo(groupOf(notification), notification);
  const added: Notification[] = [];
  const grown = new Set<Notification>();
  for (const arrival of arrivals) {
    const ofKind = [...known.membersOf(groupOf(arrival))];
    const began = ofKind.find((first) => first.repeats === null && isWithinWindow(first, arrival));
    const summary =
      began && ofKind.find(({ repeats, createdAt }) => repeats !== null && createdAt >= began.createdAt);
    if (began && arrival.kind === DUST) continue;
    if (summary) {
      const { title, message, actionUrl, metadata, repeats } = counted(arrival, (summary.repeats ?? 0) + 1);
      Object.assign(summary, { title, message, actionUrl, metadata, repeats });
      if (!added.includes(summary)) grown.add(summary);
    } else {
      const notification = began ? counted(arrival, 1) : single(arrival);
      known.addTo(groupOf(notification), notification);
      added.push(notification);
    }
  }
  return { added, grown: [...grown] };
}

/** How long the first notification of a kind collects the others. */
export function windowMsOf(kind: string): number {
  return kind === DUST ? DUST_MS : COLLAPSE_MS;
}

const groupOf = ({ userId, kind }: Pick<Notification, 'userId' | 'kind'>) => `${userId} ${kind}`;

function isWithinWindow(first: Notification, { at, kind }: Arrival): boolean {
  return at.getTime() - first.createdAt.getTime() < windowMsOf(kind);
}

function single({ id, userId, at, kind, content }: Arrival): Notification {
  const fields = { createdAt: at, readAt: null, onceKey: null, kind, repeats: null };
  return { ...content, ...fields, id, userId, priorityRank: priorityRank(content.priority) };
}

/** A notification that stands for `count` events of a kind, with the text of the last one. */
function counted(last: Arrival, count: number): Notification {
  const { title, message, metadata, ...fields } = single(last);
  const isAlone = count === 1;
  return {
    ...fields,
    title: isAlone ? title : `${title}: ${count} more`,
    message: isAlone ? message : `${count} more within ten minutes. The last one: ${message}`,
    metadata: { ...metadata, count },
    repeats: count,
  };
}
