import type { DomainEvent } from '../../../events/domain-events.js';
import type { Notification } from './entities/notification.entity.js';

/** Topic `notification`: emitted in the transaction that inserts the notification. */
export interface NotificationEvent extends DomainEvent {
  readonly name: 'notification.created';
  readonly notification: Notification;
}
