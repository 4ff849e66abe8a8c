import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type Repository } from 'typeorm';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { DailyNotesService } from './daily-notes.service.js';
import { NotificationEntity } from './entities/notification.entity.js';
import { PRIORITIES, type Notification, type NotificationType, type Priority } from './notification.words.js';

export interface NotificationsFilter {
  /** true: unread ones alone, false: read ones alone. */
  unread?: boolean;
  type?: NotificationType;
  sortBy: 'createdAt' | 'priority';
  orderBy: 'asc' | 'desc';
  page: number;
  limit: number;
}

export interface UnreadCounts {
  total: number;
  byType: Partial<Record<NotificationType, number>>;
  byPriority: Record<Priority, number>;
}

/** Reads notifications. The first read of a user on a day writes the notifications of that day before. */
@Injectable()
export class NotificationsQueries {
  constructor(
    @InjectRepository(NotificationEntity) private readonly notifications: Repository<NotificationEntity>,
    private readonly dailyNotes: DailyNotesService,
  ) {}

  /** One page, how many match, and how many of all are unread. */
  async page(
    userId: string,
    filter: NotificationsFilter,
  ): Promise<Rows<Notification> & { unreadCount: number }> {
    await this.dailyNotes.bringUpToDate(userId);
    const { unread, type, sortBy, orderBy } = filter;
    const [rows, counts] = await Promise.all([
      this.notifications.find({
        where: {
          userId,
          ...(type ? { type } : {}),
          ...(unread === undefined ? {} : { readAt: unread ? IsNull() : Not(IsNull()) }),
        },
        order: {
          ...(sortBy === 'priority' ? { priorityRank: orderBy } : {}),
          createdAt: orderBy,
          id: orderBy,
        },
        skip: offsetOf(filter),
        take: filter.limit,
      }),
      this.counts(userId, unread, type),
    ]);
    return { rows, ...counts };
  }

  /** A user's newest notifications, read or not. */
  async recent(userId: string, limit: number): Promise<Notification[]> {
    if (limit === 0) return []; // TypeORM takes zero for no limit at all
    await this.dailyNotes.bringUpToDate(userId);
    return this.notifications.find({
      where: { userId },
      order: { createdAt: 'desc', id: 'desc' },
      take: limit,
    });
  }

  private async counts(
    userId: string,
    unread: boolean | undefined,
    type: NotificationType | undefined,
  ): Promise<{ total: number; unreadCount: number }> {
    const [row] = await this.notifications.query<{ total: number; unreadCount: number }[]>(
      `select count(*) filter (where ($2::text is null or type = $2)
                                 and ($3::boolean is null or (read_at is null) = $3))::int as total,
              count(*) filter (where read_at is null)::int as "unreadCount"
         from notification where user_id = $1`,
      [userId, type ?? null, unread ?? null],
    );
    return row ?? { total: 0, unreadCount: 0 };
  }

  /** The unread ones, counted by type and by priority. */
  async unread(userId: string): Promise<UnreadCounts> {
    await this.dailyNotes.bringUpToDate(userId);
    const rows = await this.notifications.query<
      { type: NotificationType; priority: Priority; count: number }[]
    >(
      `select type, priority, count(*)::int as count from notification
        where user_id = $1 and read_at is null group by type, priority order by type`,
      [userId],
    );
    const sumOf = (part: typeof rows) => part.reduce((sum, row) => sum + row.count, 0);
    const types = [...new Set(rows.map((row) => row.type))];
    return {
      total: sumOf(rows),
      byType: Object.fromEntries(types.map((type) => [type, sumOf(rows.filter((row) => row.type === type))])),
      byPriority: Object.fromEntries(
        PRIORITIES.map((priority) => [priority, sumOf(rows.filter((row) => row.priority === priority))]),
      ) as Record<Priority, number>,
    };
  }
}
