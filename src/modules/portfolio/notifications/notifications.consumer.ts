import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { all } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { Consumer } from '../../../events/consumer.decorator.js';
import { derivedId } from '../../../events/derived-ids.js';
import type { DomainEvent } from '../../../events/domain-events.js';
import type { RecordedEvent } from '../../../events/event-consumers.js';
import { callByTopic, type ByTopic } from '../../../events/event-topics.js';
import { isDust } from '../../funds/deposits/deposit.events.js';
import { DUST } from '../../../events/collapsing.js';
import { collapse, type Arrival } from './domain/collapsing.js';
import {
  depositNotification,
  investmentNotification,
  withdrawalLimitNotification,
  withdrawalNotification,
  addressNotification,
  apiKeyNotification,
  emailChangedNotification,
  securityNotification,
} from './domain/notifications.js';
import { NotificationWritesService } from './notification-writes.service.js';
import { NotificationsRepository } from './notifications.repository.js';
import type { LocalisedContent } from './notifications.types.js';

/** A notification of which the language of its user is not known yet. */
type Candidate = Omit<Arrival, 'language' | 'content'> & { readonly content: LocalisedContent };

const CONSUMER = 'notifications';

/** The notification that follows from an event, by the topic of the event. */
const CONTENTS: ByTopic<LocalisedContent | undefined> = {
  deposit: depositNotification,
  investment: investmentNotification,
  withdrawal: withdrawalNotification,
  'withdrawal-limit': withdrawalLimitNotification,
  security: securityNotification,
  email: emailChangedNotification,
  'api-key': apiKeyNotification,
  address: addressNotification,
};

/** Notifies users of domain events. Of several events of one kind within ten minutes, those after the first share a notification. */
@Injectable()
export class NotificationsConsumer {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly writes: NotificationWritesService,
    private readonly config: AppConfig,
  ) {}

  @Consumer({ name: CONSUMER, topics: Object.keys(CONTENTS) })
  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const candidates = events.flatMap((recorded) => this.toCandidates(recorded));
    if (candidates.length === 0) return;
    const userIds = [...new Set(candidates.map(({ userId }) => userId))];
    const [languages, earlier] = await all(
      this.notifications.lockUsers(tx, userIds),
      this.notifications.findEarlierInWindows(tx, candidates),
    );
    const arrivals = candidates.flatMap(({ content, ...candidate }) => {
      const language = languages.get(candidate.userId);
      return language ? [{ ...candidate, language, content: content(language) }] : [];
    });
    const { added, grown } = collapse(arrivals, earlier);
    this.notifications.updateSummaries(tx, grown);
    const inserted = await this.notifications.insertNotifications(tx, added);
    for (const notification of added)
      if (inserted.has(notification.id)) await this.writes.emitCreated(tx, notification);
  }

  private toCandidates({ id, event }: RecordedEvent): Candidate[] {
    const { name, userId, at } = event as DomainEvent;
    const content = callByTopic(CONTENTS, event);
    const kind = isDust(event, this.config.DUST_THRESHOLD) ? DUST : name;
    return content ? [{ id: derivedId(id, CONSUMER), userId, at, kind, content }] : [];
  }
}
