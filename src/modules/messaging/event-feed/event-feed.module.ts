import { Module } from '@nestjs/common';
import { AlertsModule } from '../../core/alerts/alerts.module.js';
import { AuditModule } from '../../core/audit/audit.module.js';
import { EventAlertsJob } from './event-alerts.job.js';
import { EventWebhookClient } from './event-webhook.client.js';
import { EventWebhookService } from './event-webhook.service.js';
import { EventFeedController } from './event-feed.controller.js';
import { EventFeedService } from './event-feed.service.js';
import { ParkedEventsService } from './parked-events.service.js';

@Module({
  imports: [AlertsModule, AuditModule],
  controllers: [EventFeedController],
  providers: [EventAlertsJob, EventWebhookClient, EventWebhookService, EventFeedService, ParkedEventsService],
})
export class EventFeedModule {}
