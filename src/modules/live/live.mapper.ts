import type { NotificationEvent } from '../notifications/notification.events.js';
import { toNotificationResponse } from '../notifications/notifications.mapper.js';
import type { LiveTicketResponse, WebsocketStatusResponse } from './dto/live.response.js';
import type { LiveState } from './live-state.service.js';
import { LIVE_PATH } from './live.constants.js';
import type { NewLiveEvent } from './live.types.js';
import type { IssuedTicket } from './tickets.service.js';

/** The data is the notification as the user's list shows it. */
export function notificationEvent({ userId, at, notification }: NotificationEvent): NewLiveEvent {
  return {
    recipientType: 'user',
    recipientId: userId,
    permission: null,
    at,
    type: 'notification.created',
    data: JSON.stringify(toNotificationResponse(notification)),
  };
}

export function toLiveTicketResponse({ ticket, expiresAt }: IssuedTicket): LiveTicketResponse {
  return { ticket, expiresAt: expiresAt.toISOString() };
}

export function toWebsocketStatusResponse(state: LiveState): WebsocketStatusResponse {
  return {
    enabled: state.isEnabled,
    status: state.isEnabled ? 'available' : 'unavailable',
    message: state.isEnabled
      ? 'Ask POST /api/user/live/ticket for a ticket and open a WebSocket at the path.'
      : 'This process has no live delivery. Poll the lists, or use webhooks.',
    path: LIVE_PATH,
    connections: state.connections,
    delivered: state.delivered,
    oldestUndeliveredMs: Math.round(state.oldestUndeliveredMs),
  };
}
