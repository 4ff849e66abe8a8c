import { Global, Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';
import { EventConsumers } from './event-consumers.js';

@Global()
@Module({ providers: [DomainEvents, EventConsumers], exports: [DomainEvents, EventConsumers] })
export class EventsModule {}
