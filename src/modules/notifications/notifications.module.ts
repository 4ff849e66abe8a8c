import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { AnnouncementDelivery } from './announcement-delivery.js';
import { AnnouncementsController } from './announcements.controller.js';
import { AnnouncementsService } from './announcements.service.js';
import { DailyNotesService } from './daily-notes.service.js';
import { NotificationEntity } from './entities/notification.entity.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsListener } from './notifications.listener.js';
import { NotificationsQueries } from './notifications.queries.js';
import { NotificationsService } from './notifications.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([NotificationEntity]),
    AuditModule,
    InvestmentsModule,
    StrategiesModule,
    UsersModule,
  ],
  controllers: [NotificationsController, AnnouncementsController],
  providers: [
    AnnouncementDelivery,
    AnnouncementsService,
    DailyNotesService,
    NotificationsService,
    NotificationsListener,
    NotificationsQueries,
  ],
  exports: [NotificationsService, NotificationsQueries],
})
export class NotificationsModule {}
