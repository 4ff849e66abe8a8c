import type { AnnouncementResponse, NotificationResponse } from './dto/notification.response.js';
import type { AnnouncementDetails, NotificationDetails } from './notifications.types.js';

export function toNotificationResponse(notification: NotificationDetails): NotificationResponse {
  return {
    id: notification.id,
    type: notification.type,
    title: notification.title,
    message: notification.message,
    priority: notification.priority,
    isRead: notification.readAt !== null,
    category: notification.category,
    actionUrl: notification.actionUrl,
    metadata: notification.metadata,
    createdAt: notification.createdAt.toISOString(),
    readAt: notification.readAt?.toISOString() ?? null,
  };
}

export function toAnnouncementResponse(announcement: AnnouncementDetails): AnnouncementResponse {
  return {
    id: announcement.id,
    type: announcement.type,
    title: announcement.title,
    message: announcement.message,
    audience: announcement.audience,
    recipients: announcement.recipients,
    createdAt: announcement.createdAt.toISOString(),
  };
}
