import { Module } from '@nestjs/common';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { EventAlertsJob } from './event-alerts.job.js';
import { EventWebhookClient, EventWebhookService } from './event-webhook.service.js';
import { EventFeedController } from './event-feed.controller.js';
import { EventFeedService, ParkedEventsService } from './event-feed.service.js';

@Module({
  imports: [AlertsModule, AuditModule],
  controllers: [EventFeedController],
  providers: [EventAlertsJob, EventWebhookClient, EventWebhookService, EventFeedService, ParkedEventsService],
})
export class EventFeedModule {}
