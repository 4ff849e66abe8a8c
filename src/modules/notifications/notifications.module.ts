import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { NotificationEntity } from './notification.entity.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsListener } from './notifications.listener.js';
import { NotificationsQueries } from './notifications.queries.js';
import { Notifications } from './notifications.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([NotificationEntity])],
  controllers: [NotificationsController],
  providers: [Notifications, NotificationsListener, NotificationsQueries],
  exports: [Notifications, NotificationsQueries],
})
export class NotificationsModule {}
