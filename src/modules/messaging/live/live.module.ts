import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeysModule } from '../../identity/api-keys/api-keys.module.js';
import { ConnectionSessionsService } from './connection-sessions.service.js';
import { ConnectionsService } from './connections.service.js';
import { LiveTicket } from './entities/live-ticket.entity.js';
import { EventDeliveryService } from './event-delivery.service.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { LiveStateService } from './live-state.service.js';
import { LiveAdapter } from './live.adapter.js';
import { AdminLiveTicketsController, LiveController, LiveTicketsController } from './live.controller.js';
import { LiveGateway } from './live.gateway.js';
import { ReplaysService } from './replays.service.js';
import { TicketsRepository } from './tickets.repository.js';
import { TicketsService } from './tickets.service.js';
import { UpgradesService } from './upgrades.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([LiveTicket]), ApiKeysModule],
  controllers: [LiveController, LiveTicketsController, AdminLiveTicketsController],
  providers: [
    ConnectionSessionsService,
    ConnectionsService,
    EventDeliveryService,
    LiveAdapter,
    LiveEventsRepository,
    LiveGateway,
    LiveStateService,
    ReplaysService,
    TicketsRepository,
    TicketsService,
    UpgradesService,
  ],
  exports: [LiveStateService, TicketsService],
})
export class LiveModule {}
