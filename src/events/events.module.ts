import { Global, Module } from '@nestjs/common';
import { ConsumersInTransaction } from './consumers-in-transaction.js';
import { DomainEvents } from './domain-events.js';
import { EventConsumers } from './event-consumers.js';

@Global()
@Module({
  providers: [DomainEvents, EventConsumers, ConsumersInTransaction],
  exports: [DomainEvents, EventConsumers],
})
export class EventsModule {}
