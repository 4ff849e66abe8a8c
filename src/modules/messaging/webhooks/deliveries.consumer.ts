import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { afterCommit } from '../../../database/statements.js';
import type { Tx } from '../../../database/tx.js';
import { Consumer } from '../../../events/consumer.decorator.js';
import { derivedId } from '../../../events/derived-ids.js';
import type { DomainEvent } from '../../../events/domain-events.js';
import type { RecordedEvent } from '../../../events/event-consumers.js';
import { callByTopic } from '../../../events/event-topics.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { DELIVERIES } from './deliveries.job.js';
import { DeliveriesRepository, type PublishedEvent } from './deliveries.repository.js';
import { EVENT_PAYLOADS } from './domain/event-payloads.js';

const CONSUMER = 'webhooks';

/** Inserts a delivery of each event for each active webhook that lists it, and starts the deliveries. */
@Injectable()
export class DeliveriesConsumer {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Consumer({ name: CONSUMER, topics: Object.keys(EVENT_PAYLOADS) })
  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const now = this.clock.now();
    const ofUsers: PublishedEvent[] = [];
    for (const { id: eventId, event } of events) {
      const payload = callByTopic(EVENT_PAYLOADS, event);
      const { userId } = event as Partial<DomainEvent>;
      if (payload && userId !== undefined) ofUsers.push({ eventId, userId, payload });
      else if (payload) this.deliveries.insertDeliveriesForAll(tx, eventId, payload, now);
    }
    const subscribers = await this.deliveries.lockSubscribers(tx, ofUsers);
    const rows = subscribers.map(({ eventId, subscriptionId, payload }) => ({
      id: derivedId(eventId, CONSUMER, subscriptionId),
      subscriptionId,
      payload,
    }));
    if (rows.length > 0) this.deliveries.insertDeliveries(tx, rows, now);
    // `rows` leaves out the deliveries of events without a user, which `insertDeliveriesForAll` may have inserted.
    if (rows.length > 0 || ofUsers.length < events.length)
      afterCommit(tx, () => this.jobs.get(DELIVERIES).wake());
  }
}
