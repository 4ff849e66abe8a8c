import { paginate, type Rows } from '../../../http/request/pagination.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { NotificationResponse } from './dto/notification.response.js';
import type { Notification } from './entities/notification.entity.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toNotificationsPage(
  request: PageRequest,
  { rows, unreadCount, ...page }: Rows<Notification> & { readonly unreadCount: number },
): EnvelopedResponse<NotificationResponse[]> {
  const pagination = { ...paginate(request, page), unreadCount };
  return new EnvelopedResponse(rows.map(toNotificationResponse), { pagination });
}

export function toNotificationResponse(notification: Notification): NotificationResponse {
  return toResponse(NotificationResponse, notification, { isRead: notification.readAt !== null });
}
