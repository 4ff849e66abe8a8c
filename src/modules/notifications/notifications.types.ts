import type { Announcement } from './entities/announcement.entity.js';
import type { Notification } from './entities/notification.entity.js';
import type {
  Category,
  NotificationMetadata,
  NotificationType,
  Priority,
} from './notifications.constants.js';

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

export interface NewNotification {
  readonly userId: string;
  /** Domain time. */
  readonly at: Date;
  readonly content: NotificationContent;
  /** A second notification of the user with the same key is not written. */
  readonly onceKey?: string;
}

export type NotificationDetails = Readonly<Notification>;
export type AnnouncementContent = Pick<Announcement, 'type' | 'title' | 'message' | 'audience'>;
export type AnnouncementDetails = AnnouncementContent & Pick<Announcement, 'id' | 'recipients' | 'createdAt'>;

export interface NotificationsFilter {
  /** true: only unread ones, false: only read ones. */
  unread?: boolean;
  type?: NotificationType;
  sortBy: 'createdAt' | 'priority';
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

export interface UnreadCounts {
  total: number;
  byType: Partial<Record<NotificationType, number>>;
  byPriority: Record<Priority, number>;
}

export interface MarkedNotifications {
  readonly markedCount: number;
  readonly remainingUnread: number;
  readonly details: Partial<Record<NotificationType, number>>;
}
