import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../../identity/auth/auth.module.js';
import { NotificationsModule } from '../../portfolio/notifications/notifications.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { DeliveriesConsumer } from './deliveries.consumer.js';
import { DeliveriesJob } from './deliveries.job.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { WebhookDelivery, WebhookSubscription } from './entities/webhook.entity.js';
import { DnsClient, ReceiversService } from './receivers.service.js';
import { SecretEncryptionJob, SecretEncryptionService } from './secret-encryption.service.js';
import { WebhookHealthService } from './webhook-health.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookSubscription, WebhookDelivery]),
    AuthModule,
    NotificationsModule,
    UsersModule,
  ],
  controllers: [WebhooksController],
  providers: [
    DeliveriesJob,
    DeliveriesRepository,
    DnsClient,
    DeliveriesConsumer,
    ReceiversService,
    SecretEncryptionJob,
    SecretEncryptionService,
    WebhookHealthService,
    WebhooksRepository,
    WebhooksService,
  ],
  exports: [WebhooksService],
})
export class WebhooksModule {}
