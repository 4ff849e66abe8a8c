import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock.js';
import { startOfDay } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import type { MarkAllReadRequest, NotificationsQuery } from './dto/notifications.request.js';
import type { Notification } from './entities/notification.entity.js';
import { DailyNotificationsService, NotificationWritesService } from './notification-writes.service.js';
import { NotificationsRepository } from './notifications.repository.js';
import {
  PRIORITIES,
  type MarkedNotifications,
  type LocalisedContent,
  type Priority,
  type UnreadCounts,
} from './notifications.types.js';

/**
 * Reads notifications and marks them as read. Pages and counts first write the user's due daily notifications, which no domain
 * event causes.
 */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly notifications: NotificationsRepository,
    private readonly dailyNotifications: DailyNotificationsService,
    private readonly writes: NotificationWritesService,
  ) {}

  /** Inserts a notification in the language of the user; none for a user who was erased or anonymised. */
  async insertNotification(tx: Tx, userId: string, at: Date, content: LocalisedContent): Promise<void> {
    const language = (await this.notifications.lockUsers(tx, [userId])).get(userId);
    if (language) await this.writes.insertNotification(tx, { userId, at, content }, language);
  }

  /** For the erasure of a user. */
  async deleteNotificationsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.notifications.deleteNotificationsOfUser(tx, userId);
  }

  async listNotifications(
    userId: string,
    filter: NotificationsQuery,
  ): Promise<Rows<Notification> & { unreadCount: number }> {
    await this.dailyNotifications.writeDueNotifications(userId);
    const [page, counts] = await Promise.all([
      this.notifications.findNotificationsPage(userId, filter),
      this.notifications.countNotifications(userId, filter),
    ]);
    return { ...page, ...counts };
  }

  /** Reads only: the caller has written the due notifications (`DailyNotificationsService.writeDueNotifications`). */
  async listRecentNotifications(
    userId: string,
    limit: number,
    manager: EntityManager,
  ): Promise<Notification[]> {
    return this.notifications.findRecentNotifications(userId, limit, manager);
  }

  async countUnread(userId: string): Promise<UnreadCounts> {
    await this.dailyNotifications.writeDueNotifications(userId);
    const rows = await this.notifications.countUnreadByTypeAndPriority(userId);
    const sumCounts = (counts: typeof rows) => counts.reduce((sum, { count }) => sum + count, 0);
    const types = [...new Set(rows.map((row) => row.type))];
    return {
      total: sumCounts(rows),
      byType: Object.fromEntries(
        types.map((type) => [type, sumCounts(rows.filter((row) => row.type === type))]),
      ),
      byPriority: Object.fromEntries(
        PRIORITIES.map((priority) => [priority, sumCounts(rows.filter((row) => row.priority === priority))]),
      ) as Record<Priority, number>,
    };
  }

  /** Throws NOTIFICATION_NOT_FOUND, PERMISSION_DENIED for another user's notification, ALREADY_READ. */
  async markRead(userId: string, id: string): Promise<Notification> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const notification =
        (await this.notifications.lockNotification(tx, id)) ?? throwError('NOTIFICATION_NOT_FOUND');
      if (notification.userId !== userId) throwError('PERMISSION_DENIED');
      if (notification.readAt) throwError('ALREADY_READ');
      const readAt = this.clock.now();
      await this.notifications.markNotificationRead(tx, id, readAt);
      return { ...notification, readAt };
    });
  }

  /** Marks the unread notifications, by choice only those of a type or from before a date. Throws NO_UNREAD_NOTIFICATIONS. */
  async markAllRead(userId: string, { type, beforeDate }: MarkAllReadRequest): Promise<MarkedNotifications> {
    const before = beforeDate === undefined ? undefined : toInstant(beforeDate);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const readAt = this.clock.now();
      const marked = await this.notifications.markNotificationsRead(tx, { userId, readAt }, { type, before });
      const markedCount = marked.reduce((sum, row) => sum + row.count, 0);
      if (markedCount === 0) throwError('NO_UNREAD_NOTIFICATIONS');
      const remainingUnread = await this.notifications.countUnread(tx, userId);
      const details = Object.fromEntries(marked.map((row) => [row.type, row.count]));
      return { markedCount, remainingUnread, details };
    });
  }
}

/** Parses an instant, or a day, which stands for its UTC midnight. */
function toInstant(date: string): Date {
  return date.length === 10 ? startOfDay(date) : new Date(date);
}
