import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CommitNotices } from './commit-notices.js';
import { CommittedEvents } from './committed-events.service.js';
import { DomainEvents } from './domain-events.js';
import { EventBacklogRepository } from './event-backlog.repository.js';
import { EventConsumers } from './event-consumers.js';
import { EventDispatcher } from './event-dispatcher.service.js';
import { EventLogRepository } from './event-log.repository.js';
import { OldEventsJob } from './old-events.job.js';

/** Domain events: recorded with the change that they are about, and handed to their readers after its commit. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    CommitNotices,
    CommittedEvents,
    DomainEvents,
    EventBacklogRepository,
    EventConsumers,
    EventDispatcher,
    EventLogRepository,
    OldEventsJob,
  ],
  exports: [
    CommitNotices,
    CommittedEvents,
    DomainEvents,
    EventBacklogRepository,
    EventConsumers,
    EventDispatcher,
    EventLogRepository,
  ],
})
export class EventsModule {}
