import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { WebhookEvent, WebhookPending } from './entities/webhook-event.entity.js';
import { WebhookEventsJob, CallbackProcessingService } from './webhook-events.job.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';
import { CallbacksController, WebhookEventsController } from './callbacks.controller.js';
import { CallbacksService, CallbackSignaturesService, WebhookEventsService } from './callbacks.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookEvent, WebhookPending]),
    AuditModule,
    DepositsModule,
    StrategiesModule,
    WithdrawalsModule,
  ],
  controllers: [CallbacksController, WebhookEventsController],
  providers: [
    WebhookEventsJob,
    WebhookEventsRepository,
    WebhookEventsService,
    CallbackProcessingService,
    CallbackSignaturesService,
    CallbacksService,
  ],
  exports: [WebhookEventsService],
})
export class CallbacksModule {}
