import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { DeliveryRecords } from './delivery-records.js';
import { DeliveryWorker } from './delivery-worker.js';
import { HostNames } from './host-names.js';
import { OldDeliveries } from './old-deliveries.js';
import { Outbox } from './outbox.js';
import { Receivers } from './receivers.js';
import { Resealing } from './resealing.js';
import { SealedSecrets } from './sealed-secrets.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { SubscriptionsQueries } from './subscriptions.queries.js';
import { SubscriptionsService } from './subscriptions.service.js';

@Module({
  imports: [NotificationsModule],
  controllers: [SubscriptionsController],
  providers: [
    DeliveryRecords,
    DeliveryWorker,
    HostNames,
    OldDeliveries,
    Outbox,
    Receivers,
    Resealing,
    SealedSecrets,
    SubscriptionsService,
    SubscriptionsQueries,
  ],
})
export class SubscriptionsModule {}
