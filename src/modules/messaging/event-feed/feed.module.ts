import { Module } from '@nestjs/common';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { EventAlertsJob } from './event-alerts.job.js';
import { EventWebhookClient } from './event-webhook.client.js';
import { EventWebhookService } from './event-webhook.service.js';
import { FeedController } from './feed.controller.js';
import { FeedService } from './feed.service.js';
import { ParkedEventsService } from './parked-events.service.js';

@Module({
  imports: [AlertsModule, AuditModule],
  controllers: [FeedController],
  providers: [EventAlertsJob, EventWebhookClient, EventWebhookService, FeedService, ParkedEventsService],
})
export class FeedModule {}
