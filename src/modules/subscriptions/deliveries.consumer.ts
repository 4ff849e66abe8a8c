import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { afterCommit } from '../../database/statements.js';
import type { Tx } from '../../database/tx.js';
import { derivedId } from '../../events/derived-ids.js';
import type { DomainEvent } from '../../events/domain-events.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from '../../events/event-consumers.js';
import { topicOf } from '../../events/event-topics.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { DELIVERIES } from './deliveries.job.js';
import { DeliveriesRepository, type PublishedEvent } from './deliveries.repository.js';
import {
  checkpointEvent,
  depositEvent,
  investmentEvent,
  withdrawalEvent,
  type EventPayload,
} from './domain/event-payloads.js';

type ToPayload = (event: never) => EventPayload | undefined;

/** The payload of an event, by its topic. */
const PAYLOADS = {
  deposit: depositEvent,
  investment: investmentEvent,
  withdrawal: withdrawalEvent,
  log: checkpointEvent,
} satisfies Record<string, ToPayload>;

/** Inserts a delivery of each event for each active webhook that lists it, and starts the deliveries. */
@Injectable()
export class DeliveriesConsumer implements EventConsumer, OnModuleInit {
  readonly name = 'webhooks';
  readonly topics = Object.keys(PAYLOADS);

  constructor(
    private readonly consumers: EventConsumers,
    private readonly deliveries: DeliveriesRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.consumers.register(this);
  }

  async consume(tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
    const now = this.clock.now();
    const ofUsers: PublishedEvent[] = [];
    for (const { id: eventId, event } of events) {
      const toPayload = PAYLOADS[topicOf(event.name) as keyof typeof PAYLOADS] as ToPayload;
      const payload = toPayload(event as never);
      const { userId } = event as Partial<DomainEvent>;
      if (payload && userId !== undefined) ofUsers.push({ eventId, userId, payload });
      else if (payload) this.deliveries.insertDeliveriesForAll(tx, eventId, payload, now);
    }
    const subscribers = await this.deliveries.lockSubscribers(tx, ofUsers);
    const rows = subscribers.map(({ eventId, subscriptionId, payload }) => ({
      id: derivedId(eventId, this.name, subscriptionId),
      subscriptionId,
      payload,
    }));
    if (rows.length > 0) this.deliveries.insertDeliveries(tx, rows, now);
    if (rows.length > 0 || ofUsers.length < events.length)
      afterCommit(tx, () => this.jobs.get(DELIVERIES).wake());
  }
}
