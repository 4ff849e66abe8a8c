import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../core/audit/audit.module.js';
import { InvestmentsModule } from '../../investing/investments/investments.module.js';
import { StrategiesModule } from '../../investing/strategies/strategies.module.js';
import { UsersModule } from '../../identity/users/users.module.js';
import { AnnouncementsRepository } from './announcements.repository.js';
import { AnnouncementsService } from './announcements.service.js';
import { Announcement, Notification } from './entities/notification.entity.js';
import { DailyNotificationsService, NotificationWritesService } from './notification-writes.service.js';
import { AnnouncementsController, NotificationsController } from './notifications.controller.js';
import { NotificationsConsumer } from './notifications.consumer.js';
import { NotificationsRepository } from './notifications.repository.js';
import { NotificationsService } from './notifications.service.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([Announcement, Notification]),
    AuditModule,
    InvestmentsModule,
    StrategiesModule,
    UsersModule,
  ],
  controllers: [NotificationsController, AnnouncementsController],
  providers: [
    AnnouncementsRepository,
    AnnouncementsService,
    DailyNotificationsService,
    NotificationWritesService,
    NotificationsConsumer,
    NotificationsRepository,
    NotificationsService,
  ],
  exports: [DailyNotificationsService, NotificationsService],
})
export class NotificationsModule {}
