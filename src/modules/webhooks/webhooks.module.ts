import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { DepositsModule } from '../deposits/deposits.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { WithdrawalsModule } from '../withdrawals/withdrawals.module.js';
import { WebhookEffects } from './webhook-effects.js';
import { WebhookEventsController } from './webhook-events.controller.js';
import { WebhookEventsQueries } from './webhook-events.queries.js';
import { WebhookEventsService } from './webhook-events.service.js';
import { WebhookInbox } from './webhook-inbox.js';
import { WebhookSignatures } from './webhook-signatures.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [AuditModule, DepositsModule, WithdrawalsModule, StrategiesModule],
  controllers: [WebhooksController, WebhookEventsController],
  providers: [
    WebhooksService,
    WebhookEffects,
    WebhookEventsService,
    WebhookEventsQueries,
    WebhookInbox,
    WebhookSignatures,
  ],
  exports: [WebhookInbox],
})
export class WebhooksModule {}
