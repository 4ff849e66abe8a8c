import type { Language } from '../../../common/message-texts.js';

export const NOTIFICATION_TYPES = [
  'investment',
  'earning',
  'withdrawal',
  'deposit',
  'security',
  'system',
  'promotion',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** From 4 for critical to 1 for low: the generated column `priority_rank`. */
export function priorityRank(priority: Priority): number {
  return PRIORITIES.length - PRIORITIES.indexOf(priority);
}

/** The section of the user interface that shows the notification. */
export const CATEGORIES = ['transaction', 'portfolio', 'account', 'platform'] as const;
export type Category = (typeof CATEGORIES)[number];

export const ANNOUNCEMENT_TYPES = ['promotion', 'system'] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

export const AUDIENCES = ['all', 'investors'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** Values that the message names, such as ids, amounts, addresses, days and counts. */
export type NotificationMetadata = Readonly<Record<string, string | number | null>>;

export interface NotificationContent {
  readonly type: NotificationType;
  readonly priority: Priority;
  readonly category: Category;
  readonly title: string;
  readonly message: string;
  /** Path in the user interface; null if there is nothing to do. */
  readonly actionUrl: string | null;
  readonly metadata: NotificationMetadata;
}

/** The content of a notification in either language. */
export type LocalisedContent = (language: Language) => NotificationContent;

export interface NewNotification {
  readonly userId: string;
  /** When the notification was created, in domain time. */
  readonly at: Date;
  readonly content: LocalisedContent;
  /** A user gets at most one notification with this key. */
  readonly onceKey?: string;
}

export interface UnreadCounts {
  total: number;
  byType: Partial<Record<NotificationType, number>>;
  byPriority: Record<Priority, number>;
}

export interface MarkedNotifications {
  readonly markedCount: number;
  readonly remainingUnread: number;
  /** The number of marked notifications of each type. */
  readonly details: Partial<Record<NotificationType, number>>;
}
