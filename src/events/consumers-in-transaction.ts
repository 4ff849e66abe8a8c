import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { newId } from '../common/ids.js';
import { DomainEvents } from './domain-events.js';
import { EventConsumers } from './event-consumers.js';

/**
 * Until a dispatcher hands them the committed events, consumers follow the events in the transaction, after the listeners of the
 * modules, which have subscribed before.
 */
@Injectable()
export class ConsumersInTransaction implements OnApplicationBootstrap {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly consumers: EventConsumers,
  ) {}

  onApplicationBootstrap(): void {
    for (const consumer of this.consumers.all)
      for (const topic of consumer.topics)
        this.domainEvents.subscribe(topic, (tx, event) =>
          consumer.consume(tx, [{ number: 0, id: newId(), event }]),
        );
  }
}
