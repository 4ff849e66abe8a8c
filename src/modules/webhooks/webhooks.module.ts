import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { WebhookEvent } from './entities/webhook-event.entity.js';
import { WebhookEventsController } from './webhook-events.controller.js';
import { WebhookEventsJob } from './webhook-events.job.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';
import { WebhookEventsService } from './webhook-events.service.js';
import { WebhookProcessingService } from './webhook-processing.service.js';
import { WebhookSignaturesService } from './webhook-signatures.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEvent]),
    AuditModule,
    DepositsModule,
    StrategiesModule,
    WithdrawalsModule,
  ],
  controllers: [WebhooksController, WebhookEventsController],
  providers: [
    WebhookEventsJob,
    WebhookEventsRepository,
    WebhookEventsService,
    WebhookProcessingService,
    WebhookSignaturesService,
    WebhooksService,
  ],
  exports: [WebhookEventsService],
})
export class WebhooksModule {}
