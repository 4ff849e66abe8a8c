import { Injectable } from '@nestjs/common';
import type { Language } from '../../../common/message-texts.js';
import { DomainEvents } from '../../../events/domain-events.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { Notification } from './entities/notification.entity.js';
import type { NotificationEvent } from './notification.events.js';
import { NotificationsRepository } from './notifications.repository.js';
import type { NewNotification } from './notifications.types.js';

/** Inserts notifications and emits `notification.created` for each new one. */
@Injectable()
export class NotificationWritesService {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly notifications: NotificationsRepository,
  ) {}

  /** `language`: of the user. Does nothing if the user already has a notification with the same `onceKey`. */
  async insertNotification(
    tx: Tx,
    { userId, at, content, onceKey }: NewNotification,
    language: Language,
  ): Promise<void> {
    const notification = { userId, at, onceKey, content: content(language) };
    const created = await this.notifications.insertNotification(tx, notification);
    if (created) await this.emitCreated(tx, created);
  }

  /** Emits `notification.created`. The caller has inserted the notification in this transaction. */
  async emitCreated(tx: Tx, notification: Notification): Promise<void> {
    const { userId, createdAt: at } = notification;
    await this.domainEvents.emit<NotificationEvent>(tx, {
      name: 'notification.created',
      userId,
      at,
      notification,
    });
  }
}
