import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { UsersModule } from '../users/users.module.js';
import { DeliveriesConsumer } from './deliveries.consumer.js';
import { DeliveriesJob } from './deliveries.job.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { WebhookDelivery } from './entities/webhook-delivery.entity.js';
import { WebhookSubscription } from './entities/webhook-subscription.entity.js';

import { DnsClient } from './receiver.client.js';
import { ReceiversService } from './receivers.service.js';
import { SecretEncryptionJob } from './secret-encryption.job.js';
import { SecretEncryptionService } from './secret-encryption.service.js';
import { SubscriptionHealthService } from './subscription-health.service.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([WebhookSubscription, WebhookDelivery]),
    AuthModule,
    NotificationsModule,
    UsersModule,
  ],
  controllers: [SubscriptionsController],
  providers: [
    DeliveriesJob,
    DeliveriesRepository,
    DnsClient,
    DeliveriesConsumer,
    ReceiversService,
    SecretEncryptionJob,
    SecretEncryptionService,
    SubscriptionHealthService,
    SubscriptionsRepository,
    SubscriptionsService,
  ],
  exports: [SubscriptionsService],
})
export class SubscriptionsModule {}
