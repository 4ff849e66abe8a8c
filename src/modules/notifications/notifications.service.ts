import { Injectable } from '@nestjs/common';
import { prepared } from '../../database/prepared.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { NotificationEntity } from './entities/notification.entity.js';
import {
  toNotificationResponse,
  type MarkedResponse,
  type NotificationResponse,
} from './dto/notification.response.js';
import type { Note, NotificationType } from './notification.words.js';
import { beginningOf, type MarkAllReadRequest } from './dto/notifications.request.js';

@Injectable()
export class NotificationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Leaves a note for a user, with what it tells of or not at all. */
  async write(tx: Tx, userId: string, at: Date, note: Note): Promise<void> {
    await this.insert(tx, userId, at, note, null);
  }

  /** The same, but only if the user was never left a note with this key. */
  async writeOnce(tx: Tx, userId: string, at: Date, note: Note, key: string): Promise<void> {
    await this.insert(tx, userId, at, note, key);
  }

  private async insert(tx: Tx, userId: string, at: Date, note: Note, key: string | null): Promise<void> {
    await tx.query(
      prepared(`insert into notification
         (id, user_id, type, title, message, priority, category, action_url, metadata, created_at, told_once)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict (user_id, told_once) where told_once is not null do nothing`),
      [
        newId(),
        userId,
        note.type,
        note.title,
        note.message,
        note.priority,
        note.category,
        note.actionUrl,
        note.metadata,
        at,
        key,
      ],
    );
  }

  /** Throws NOTIFICATION_NOT_FOUND, PERMISSION_DENIED when it is another user's, ALREADY_READ. */
  async read(userId: string, id: string): Promise<NotificationResponse> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const notification =
        (await tx.findOne(NotificationEntity, { where: { id }, lock: { mode: 'pessimistic_write' } })) ??
        fail('NOTIFICATION_NOT_FOUND');
      if (notification.userId !== userId) fail('PERMISSION_DENIED');
      if (notification.readAt) fail('ALREADY_READ');
      notification.readAt = this.clock.now();
      await tx.update(NotificationEntity, id, { readAt: notification.readAt });
      return toNotificationResponse(notification);
    });
  }

  /** Marks the unread ones of a type, older than a date, or all. Throws NO_UNREAD_NOTIFICATIONS when there are none. */
  async readAll(userId: string, { type, beforeDate }: MarkAllReadRequest): Promise<MarkedResponse> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const marked = await this.mark(tx, userId, type, beforeDate);
      const markedCount = marked.reduce((sum, row) => sum + row.count, 0);
      if (markedCount === 0) fail('NO_UNREAD_NOTIFICATIONS');
      const [left] = await tx.query<{ count: number }[]>(
        'select count(*)::int as count from notification where user_id = $1 and read_at is null',
        [userId],
      );
      const details = Object.fromEntries(marked.map((row) => [row.type, row.count]));
      return { markedCount, remainingUnread: left?.count ?? 0, details };
    });
  }

  private mark(
    tx: Tx,
    userId: string,
    type: string | undefined,
    beforeDate: string | undefined,
  ): Promise<{ type: NotificationType; count: number }[]> {
    return tx.query(
      `with marked as (
         update notification set read_at = $2
          where user_id = $1 and read_at is null
            and ($3::text is null or type = $3) and ($4::timestamptz is null or created_at < $4)
         returning type
       )
       select type, count(*)::int as count from marked group by type order by type`,
      [userId, this.clock.now(), type ?? null, beforeDate === undefined ? null : beginningOf(beforeDate)],
    );
  }
}
