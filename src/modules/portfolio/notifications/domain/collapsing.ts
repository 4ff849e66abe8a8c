import * as events from '../../../../events/collapsing.js';
import type { Language } from '../../../../common/message-texts.js';
import type { Notification } from '../entities/notification.entity.js';
import { priorityRank, type NotificationContent } from '../notifications.types.js';
import type { NotificationText } from './notification-kind.js';

/** A notification that may become a part of another one. */
export interface Arrival {
  readonly id: string;
  readonly userId: string;
  readonly at: Date;
  /** The name of the domain event, or `deposit.dust`. */
  readonly kind: string;
  readonly language: Language;
  readonly content: NotificationContent;
}

/** Returns the new notifications for the arrivals, and the earlier ones that grow by them. `earlier`: those that may grow. */
export function collapse(
  arrivals: readonly Arrival[],
  earlier: readonly Notification[],
): { added: Notification[]; grown: Notification[] } {
  return events.collapse(arrivals, {
    earlier,
    toFirst: notificationOfOne,
    toSummary: (arrival) => summaryOf(arrival, 1),
    grow: (summary, arrival) => {
      const { title, message, actionUrl, metadata, repeats } = summaryOf(arrival, (summary.repeats ?? 0) + 1);
      Object.assign(summary, { title, message, actionUrl, metadata, repeats, readAt: null });
    },
  });
}

/** The notification about one event. */
function notificationOfOne({ id, userId, at, kind, content }: Arrival): Notification {
  const fields = { createdAt: at, readAt: null, onceKey: null, kind, repeats: null };
  return { ...content, ...fields, id, userId, priorityRank: priorityRank(content.priority) };
}

/** A notification that stands for `count` events of a kind, with the text of the last one. */
function summaryOf(last: Arrival, count: number): Notification {
  const { metadata, ...notification } = notificationOfOne(last);
  const text = [notification.title, notification.message] as const;
  const [title, message] = count === 1 ? text : textOfSeveral(last.language, text, count);
  return { ...notification, title, message, metadata: { ...metadata, count }, repeats: count };
}

/** The text of a notification that stands for `count` events, from the text of the last one. */
export function textOfSeveral(
  language: Language,
  [title, message]: NotificationText,
  count: number,
): NotificationText {
  const texts: Record<Language, NotificationText> = {
    en: [`${title}: ${count} more`, `${count} more within ten minutes. The last one: ${message}`],
    de: [`${title}: ${count} weitere`, `${count} weitere innerhalb von zehn Minuten. Zuletzt: ${message}`],
  };
  return texts[language];
}
