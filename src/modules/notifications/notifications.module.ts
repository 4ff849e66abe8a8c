import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { InvestmentsModule } from '../investments/investments.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { AnnouncementDelivery } from './announcement-delivery.js';
import { AnnouncementsController } from './announcements.controller.js';
import { Announcements } from './announcements.service.js';
import { DailyNotes } from './daily-notes.service.js';
import { NotificationEntity } from './entities/notification.entity.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsListener } from './notifications.listener.js';
import { NotificationsQueries } from './notifications.queries.js';
import { Notifications } from './notifications.service.js';

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
    Announcements,
    DailyNotes,
    Notifications,
    NotificationsListener,
    NotificationsQueries,
  ],
  exports: [Notifications, NotificationsQueries],
})
export class NotificationsModule {}
