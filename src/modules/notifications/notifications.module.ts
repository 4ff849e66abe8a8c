import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { InvestmentsModule } from '../investments/investments.module.js';
import { StrategiesModule } from '../strategies/strategies.module.js';
import { UsersModule } from '../users/users.module.js';
import { DailyNotes } from './daily-notes.service.js';
import { NotificationEntity } from './notification.entity.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsListener } from './notifications.listener.js';
import { NotificationsQueries } from './notifications.queries.js';
import { Notifications } from './notifications.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([NotificationEntity]), InvestmentsModule, StrategiesModule, UsersModule],
  controllers: [NotificationsController],
  providers: [DailyNotes, Notifications, NotificationsListener, NotificationsQueries],
  exports: [Notifications, NotificationsQueries],
})
export class NotificationsModule {}
