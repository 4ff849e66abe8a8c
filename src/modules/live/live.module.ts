import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AdminLiveTicketsController } from './admin-live-tickets.controller.js';
import { ConnectionSessionsService } from './connection-sessions.service.js';
import { ConnectionsService } from './connections.service.js';
import { LiveEvent } from './entities/live-event.entity.js';
import { LiveTicket } from './entities/live-ticket.entity.js';
import { EventDeliveryService } from './event-delivery.service.js';
import { EventDispatcherService } from './event-dispatcher.service.js';
import { LiveEventsListener } from './live-events.listener.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { LiveStateService } from './live-state.service.js';
import { LiveTicketsController } from './live-tickets.controller.js';
import { LiveAdapter } from './live.adapter.js';
import { LiveController } from './live.controller.js';
import { LiveGateway } from './live.gateway.js';
import { OldEventsJob } from './old-events.job.js';
import { ReplaysService } from './replays.service.js';
import { TicketsRepository } from './tickets.repository.js';
import { TicketsService } from './tickets.service.js';
import { UpgradesService } from './upgrades.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([LiveEvent, LiveTicket]), ApiKeysModule],
  controllers: [LiveController, LiveTicketsController, AdminLiveTicketsController],
  providers: [
    ConnectionSessionsService,
    ConnectionsService,
    EventDeliveryService,
    EventDispatcherService,
    LiveAdapter,
    LiveEventsListener,
    LiveEventsRepository,
    LiveGateway,
    LiveStateService,
    OldEventsJob,
    ReplaysService,
    TicketsRepository,
    TicketsService,
    UpgradesService,
  ],
  exports: [LiveEventsRepository, LiveStateService, TicketsService],
})
export class LiveModule {}
