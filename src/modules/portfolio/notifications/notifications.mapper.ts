import { paginate, type Rows } from '../../../http/request/pagination.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type { CreatedAnnouncement } from './announcements.service.js';
import type { AnnouncementResponse, NotificationResponse } from './dto/notification.response.js';
import type { Notification } from './entities/notification.entity.js';

export function toNotificationsPage(
  request: PageRequest,
  { rows, unreadCount, ...page }: Rows<Notification> & { readonly unreadCount: number },
): EnvelopedResponse<NotificationResponse[]> {
  const pagination = { ...paginate(request, page), unreadCount };
  return new EnvelopedResponse(rows.map(toNotificationResponse), { pagination });
}

export function toNotificationResponse(notification: Notification): NotificationResponse {
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

export function toAnnouncementResponse(announcement: CreatedAnnouncement): AnnouncementResponse {
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
