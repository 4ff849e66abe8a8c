import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { all } from '../../database/statements.js';
import type { Tx } from '../../database/tx.js';
import { derivedId } from '../../events/derived-ids.js';
import type { DomainEvent } from '../../events/domain-events.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from '../../events/event-consumers.js';
import { topicOf } from '../../events/event-topics.js';
import { isDust } from '../deposits/deposit.events.js';
import { DUST } from '../../events/collapsing.js';
import { collapse, type Arrival } from './domain/collapsing.js';
import {
  depositNotification,
  investmentNotification,
  withdrawalNotification,
} from './domain/notification-texts.js';
import {
  addressNotification,
  apiKeyNotification,
  emailChangedNotification,
  securityNotification,
} from './domain/security-texts.js';
import { NotificationWritesService } from './notification-writes.service.js';
import { NotificationsRepository } from './notifications.repository.js';
import type { NotificationContent } from './notifications.types.js';

type ToContent = (event: never) => NotificationContent | undefined;

/** The notification that follows from an event, by the topic of the event. */
const CONTENTS = {
  deposit: depositNotification,
  investment: investmentNotification,
  withdrawal: withdrawalNotification,
  security: securityNotification,
  email: emailChangedNotification,
  'api-key': apiKeyNotification,
  address: addressNotification,
} satisfies Record<string, ToContent>;

/** Notifies users of domain events. Many of one kind within ten minutes are one notification with a count. */
@Injectable()
export class NotificationsConsumer implements EventConsumer, OnModuleInit {
  readonly name = 'notifications';
  readonly topics = Object.keys(CONTENTS);

  constructor(
    private readonly consumers: EventConsumers,
    private readonly notifications: NotificationsRepository,
    private readonly writes: NotificationWritesService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.consumers.register(this);
  }

  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const arrivals = events.flatMap((recorded) => this.toArrival(recorded));
    if (arrivals.length === 0) return;
    const userIds = [...new Set(arrivals.map(({ userId }) => userId))];
    const [users, earlier] = await all(
      this.notifications.lockUsers(tx, userIds),
      this.notifications.findEarlierInWindows(tx, arrivals),
    );
    const ofUsers = arrivals.filter(({ userId }) => users.has(userId));
    const { added, grown } = collapse(ofUsers, earlier);
    this.notifications.updateSummaries(tx, grown);
    const inserted = await this.notifications.insertNotifications(tx, added);
    for (const notification of added)
      if (inserted.has(notification.id)) await this.writes.emitCreated(tx, notification);
  }

  private toArrival({ id, event }: RecordedEvent): Arrival[] {
    const { name, userId, at } = event as DomainEvent;
    const toContent = CONTENTS[topicOf(name) as keyof typeof CONTENTS] as ToContent;
    const content = toContent(event as never);
    const kind = isDust(event, this.config.DUST_THRESHOLD) ? DUST : name;
    return content ? [{ id: derivedId(id, this.name), userId, at, kind, content }] : [];
  }
}
