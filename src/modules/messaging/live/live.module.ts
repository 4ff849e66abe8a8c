import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeysModule } from '../../identity/api-keys/api-keys.module.js';
import { ConnectionsService } from './connections.service.js';
import { LiveTicket } from './entities/live-ticket.entity.js';
import { EventDeliveryService, ReplaysService } from './event-delivery.service.js';
import { LiveRepository } from './live.repository.js';
import { LiveAdapter } from './live.adapter.js';
import { AdminLiveTicketsController, LiveController, LiveTicketsController } from './live.controller.js';
import { ConnectionSessionsService, LiveGateway } from './live.gateway.js';
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
    LiveGateway,
    LiveRepository,
    ReplaysService,
    TicketsService,
    UpgradesService,
  ],
  exports: [EventDeliveryService, TicketsService],
})
export class LiveModule {}
