import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, type Repository } from 'typeorm';
import type { Day } from '../../../common/days.js';
import { newId } from '../../../common/ids.js';
import { languageOf, type Language } from '../../../common/message-texts.js';
import {
  entityColumns,
  entityOf,
  findRows,
  insertIfNew,
  insertRow,
  withNulls,
} from '../../../database/entity-rows.js';
import { prepared } from '../../../database/prepared.js';
import { lockName, read, write } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { findEntityPage, listFilter } from '../../../lists/find-page.js';
import type { ListOrder, Page } from '../../../lists/list-page.js';
import { windowMsOf } from '../../../events/collapsing.js';
import type { Arrival } from './domain/collapsing.js';
import type { NotificationsQuery } from './dto/notifications.request.js';
import { Notification } from './entities/notification.entity.js';
import {
  priorityRank,
  type NewNotification,
  type NotificationContent,
  type NotificationType,
  type Priority,
} from './notifications.types.js';

/** A new notification, in the language of its user. */
interface LocalisedNotification extends Omit<NewNotification, 'content'> {
  readonly content: NotificationContent;
}

interface TypeCount {
  readonly type: NotificationType;
  readonly count: number;
}

const INSERT_NOTIFICATIONS = `
  insert into notification
    (id, user_id, type, title, message, priority, category, action_url, metadata, created_at, kind, repeats)
  select id, "userId", type, title, message, priority, category, "actionUrl", metadata, "createdAt", kind, repeats
    from jsonb_to_recordset($1) as new (id uuid, "userId" uuid, type text, title text, message text, priority text,
           category text, "actionUrl" text, metadata jsonb, "createdAt" timestamptz, kind text, repeats integer)
      on conflict (id) do nothing
  returning id`;

// While the notification is unread, no indexed column changes, so that PostgreSQL need not write index entries.
const UPDATE_SUMMARIES = `
  update notification
     set title = grown.title, message = grown.message, action_url = grown."actionUrl", metadata = grown.metadata,
         repeats = grown.repeats, read_at = null
    from jsonb_to_recordset($1) as grown (id uuid, title text, message text, "actionUrl" text, metadata jsonb, repeats integer)
   where notification.id = grown.id`;

const NEWEST: ListOrder['keys'] = [
  ['created_at', 'timestamptz'],
  ['id', 'uuid'],
];
const SORT_KEYS: Record<NotificationsQuery['sortBy'], ListOrder['keys']> = {
  createdAt: NEWEST,
  priority: [['priority_rank', 'integer'], ...NEWEST],
};

@Injectable()
export class NotificationsRepository {
  constructor(@InjectRepository(Notification) private readonly notifications: Repository<Notification>) {}

  /**
   * Returns the notification; undefined, without a change, if the user already has one with its key. Without a key the insertion is
   * sent, and awaited with the commit.
   */
  async insertNotification(
    tx: Tx,
    { userId, at, content, onceKey }: LocalisedNotification,
  ): Promise<Notification | undefined> {
    const fields = { ...content, id: newId(), userId, createdAt: at, onceKey: onceKey ?? null };
    const rank = { priorityRank: priorityRank(content.priority) };
    const notification = withNulls(tx, Notification, { ...fields, ...rank });
    if (onceKey === undefined) insertRow(tx, Notification, notification);
    else if (!(await insertIfNew(tx, Notification, notification))) return undefined;
    return notification;
  }

  /**
   * Waits for the end of erasures, and returns the languages of those users who are neither erased nor anonymised, by id. Reads
   * `platform_user` of the module users.
   */
  async lockUsers(tx: Tx, ids: readonly string[]): Promise<Map<string, Language>> {
    const rows = await read<{ id: string; language: string }>(
      tx,
      `select id, language from platform_user
        where id = any($1::uuid[]) and (status <> 'inactive' or email <> 'erased-' || id || '@erased.invalid')
        order by id for key share`,
      [ids],
    );
    return new Map(rows.map(({ id, language }) => [id, languageOf(language)]));
  }

  /** Earlier notifications of the users and kinds of the arrivals, within their time windows. */
  async findEarlierInWindows(
    tx: Tx,
    arrivals: readonly Pick<Arrival, 'userId' | 'kind' | 'at'>[],
  ): Promise<Notification[]> {
    const rows = await read<object>(
      tx,
      `select distinct ${entityColumns(tx.connection, Notification, 'notification')}
         from unnest($1::uuid[], $2::text[], $3::timestamptz[]) as arrival (user_id, kind, since)
         join notification on notification.user_id = arrival.user_id and notification.kind = arrival.kind
                          and notification.created_at > arrival.since`,
      [
        arrivals.map(({ userId }) => userId),
        arrivals.map(({ kind }) => kind),
        arrivals.map(({ at, kind }) => new Date(at.getTime() - windowMsOf(kind))),
      ],
    );
    return rows.map((row) => entityOf(tx.connection, Notification, row));
  }

  /** Inserts those whose ids are new, and returns these ids. The caller has locked the users (`lockUsers`). */
  async insertNotifications(tx: Tx, notifications: readonly Notification[]): Promise<Set<string>> {
    if (notifications.length === 0) return new Set();
    const rows = await read<{ id: string }>(tx, INSERT_NOTIFICATIONS, [JSON.stringify(notifications)]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Stores the new texts and counts of summaries, which become unread again. */
  updateSummaries(tx: Tx, summaries: readonly Notification[]): void {
    if (summaries.length > 0) write(tx, UPDATE_SUMMARIES, [JSON.stringify(summaries)]);
  }

  findNotificationsPage(userId: string, query: NotificationsQuery): Promise<Page<Notification>> {
    const { unread, type, sortBy, orderBy } = query;
    const { where, parameters } = listFilter(['user_id = ?', userId], ['type = ?', type]);
    const filter = { where: where + readCondition(unread), parameters, isPrepared: true };
    return findEntityPage(
      this.notifications.manager,
      Notification,
      filter,
      { keys: SORT_KEYS[sortBy], direction: orderBy },
      query,
    );
  }

  /** Counts the notifications that match the filter, and all unread ones. */
  async countNotifications(
    userId: string,
    { unread, type }: Pick<NotificationsQuery, 'unread' | 'type'>,
  ): Promise<{ total: number; unreadCount: number }> {
    const [row] = await this.notifications.query<{ total: number; unreadCount: number }[]>(
      prepared(`select count(*) filter (where ($2::text is null or type = $2)
                                          and ($3::boolean is null or (read_at is null) = $3))::int as total,
                       count(*) filter (where read_at is null)::int as "unreadCount"
                  from notification where user_id = $1`),
      [userId, type ?? null, unread ?? null],
    );
    return row ?? { total: 0, unreadCount: 0 };
  }

  findRecentNotifications(userId: string, limit: number, manager: EntityManager): Promise<Notification[]> {
    const newest = 'where user_id = $1 order by created_at desc, id desc limit $2';
    return findRows(manager, Notification, newest, [userId, limit]);
  }

  countUnreadByTypeAndPriority(userId: string): Promise<(TypeCount & { priority: Priority })[]> {
    return this.notifications.query(
      `select type, priority, count(*)::int as count from notification
        where user_id = $1 and read_at is null group by type, priority order by type`,
      [userId],
    );
  }

  lockNotification(tx: Tx, id: string): Promise<Notification | null> {
    return tx.findOne(Notification, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async markNotificationRead(tx: Tx, id: string, readAt: Date): Promise<void> {
    await tx.update(Notification, id, { readAt });
  }

  /** Marks the user's unread notifications that match, and counts them by type. */
  markNotificationsRead(
    tx: Tx,
    { userId, readAt }: { userId: string; readAt: Date },
    { type, before }: { type: NotificationType | undefined; before: Date | undefined },
  ): Promise<TypeCount[]> {
    return tx.query(
      `with marked as (
         update notification set read_at = $2
          where user_id = $1 and read_at is null
            and ($3::text is null or type = $3) and ($4::timestamptz is null or created_at < $4)
         returning type
       )
       select type, count(*)::int as count from marked group by type order by type`,
      [userId, readAt, type ?? null, before ?? null],
    );
  }

  countUnread(tx: Tx, userId: string): Promise<number> {
    return tx.countBy(Notification, { userId, readAt: IsNull() });
  }

  async deleteNotificationsOfUser(tx: Tx, userId: string): Promise<void> {
    await tx.delete(Notification, { userId });
  }

  /** The last day that the user's earnings digests cover; null without one. */
  async findLastDigestDay(
    userId: string,
    manager: EntityManager = this.notifications.manager,
  ): Promise<Day | null> {
    const [row] = await manager.query<{ day: Day | null }[]>(
      prepared(`select max(substr(told_once, length($2) + 1)) as day from notification
                 where user_id = $1 and told_once is not null and starts_with(told_once, $2)`),
      [userId, digestKey('')],
    );
    return row?.day ?? null;
  }

  /** Like `findLastDigestDay`; until this transaction ends, no other one inserts a digest of the user. */
  async lockLastDigestDay(tx: Tx, userId: string): Promise<Day | null> {
    await lockName(tx, `digests ${userId}`);
    return this.findLastDigestDay(userId, tx);
  }
}

function readCondition(unread: boolean | undefined): string {
  if (unread === undefined) return '';
  return unread ? ' and read_at is null' : ' and read_at is not null';
}

/** The key of an earnings digest. `to` is the last day that it covers. */
export function digestKey(to: string): string {
  return `earnings ${to}`;
}
