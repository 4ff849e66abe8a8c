import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { addDays, type Day } from '../../../common/days.js';
import type { Language } from '../../../common/message-texts.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { DomainEvents, type DomainEvent } from '../../../events/domain-events.js';
import { ProfilesService } from '../../identity/users/profiles.service.js';
import { PortfolioService } from '../../investing/investments/portfolio.service.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { earningsNotification, suspensionNotification } from './domain/notifications.js';
import type { Notification } from './entities/notification.entity.js';
import { digestKey, NotificationsRepository } from './notifications.repository.js';
import type { LocalisedContent, NewNotification } from './notifications.types.js';

/** Topic `notification`: emitted in the transaction that inserts the notification. */
export interface NotificationEvent extends DomainEvent {
  readonly name: 'notification.created';
  readonly notification: Notification;
}

/** Inserts notifications and emits `notification.created` for each new one. */
@Injectable()
export class NotificationWritesService {
  constructor(
    private readonly domainEvents: DomainEvents,
    private readonly notifications: NotificationsRepository,
  ) {}

  /** `language`: of the user. Does nothing if the user already has a notification with the same `onceKey`. */
  async insertNotification(
    tx: Tx,
    { userId, at, content, onceKey }: NewNotification,
    language: Language,
  ): Promise<void> {
    const notification = { userId, at, onceKey, content: content(language) };
    const created = await this.notifications.insertNotification(tx, notification);
    if (created) await this.emitCreated(tx, created);
  }

  /** Emits `notification.created`. The caller has inserted the notification in this transaction. */
  async emitCreated(tx: Tx, notification: Notification): Promise<void> {
    const { userId, createdAt: at } = notification;
    await this.domainEvents.emit<NotificationEvent>(tx, {
      name: 'notification.created',
      userId,
      at,
      notification,
    });
  }
}

/** A process that remembers this many users forgets all of them; their next requests query the database again. */
const MAX_REMEMBERED_USERS = 50_000;

interface DueNotification {
  readonly content: LocalisedContent;
  /** See `NewNotification`. */
  readonly onceKey: string;
}

interface DueDigest extends DueNotification {
  /** The last day that the earlier digests cover; null without one. */
  readonly after: Day | null;
}

/**
 * Writes the notifications that no domain event causes: earnings of the days since the last digest, and suspended
 * strategies. Each notification has a key, which prevents duplicates when several requests or processes write at the same time.
 */
@Injectable()
export class DailyNotificationsService {
  /** Users whose notifications of `day` this process has written: their further requests of the day cost no query. */
  private completed = { day: '', users: new Set<string>() };

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly investments: PortfolioService,
    private readonly navs: NavsService,
    private readonly profiles: ProfilesService,
    private readonly notifications: NotificationsRepository,
    private readonly writes: NotificationWritesService,
  ) {}

  /** Writes the user's due notifications, unless this process remembers that it has written those of today. */
  async writeDueNotifications(userId: string): Promise<void> {
    const today = this.clock.today();
    if (this.completed.day === today && this.completed.users.has(userId)) return;
    const { wantsOptional, language } = await this.profiles.getNotificationPreferences(userId);
    const suspensions = await this.findSuspensions(userId);
    const digest = wantsOptional ? await this.findEarnings(userId, addDays(today, -1)) : undefined;
    const isComplete = await this.insertDue({ userId, language }, suspensions, digest);
    if (wantsOptional && isComplete) this.rememberUser(today, userId); // a user without the preference may switch it on today
  }

  /** False if the digest is not inserted, because a concurrent request has inserted one of other days. */
  private async insertDue(
    { userId, language }: { readonly userId: string; readonly language: Language },
    suspensions: readonly DueNotification[],
    digest: DueDigest | undefined,
  ): Promise<boolean> {
    if (suspensions.length === 0 && !digest) return true;
    return this.unitOfWork.runInTransaction(async (tx) => {
      const isNext = digest && (await this.notifications.lockLastDigestDay(tx, userId)) === digest.after;
      const at = this.clock.now();
      for (const { content, onceKey } of [...suspensions, ...(isNext ? [digest] : [])])
        await this.writes.insertNotification(tx, { userId, at, content, onceKey }, language);
      return isNext || !digest;
    });
  }

  /**
   * The earnings digest of the days up to `to` that no earlier digest covers. If their growth is zero, there is none, and the
   * next digest covers these days, too.
   */
  private async findEarnings(userId: string, to: Day): Promise<DueDigest | undefined> {
    const last = await this.notifications.findLastDigestDay(userId);
    if (last !== null && last >= to) return undefined;
    const { first, growth } = await this.investments.getGrowthSince(userId, last, to);
    const from = last === null ? first : addDays(last, 1);
    const content = from === null ? undefined : earningsNotification({ from, to }, growth);
    return content && { content, onceKey: digestKey(to), after: last };
  }

  /** One notification per suspension; a later suspension of the same strategy has another key. */
  private async findSuspensions(userId: string): Promise<DueNotification[]> {
    const strategies = await this.investments.listPausedStrategies(userId);
    return Promise.all(
      strategies.map(async (strategy) => {
        const flatSince = await this.navs.getFlatSince(strategy.id);
        return {
          content: suspensionNotification(strategy, flatSince),
          onceKey: `suspended ${strategy.id} ${flatSince}`,
        };
      }),
    );
  }

  private rememberUser(today: Day, userId: string): void {
    if (this.completed.day !== today || this.completed.users.size >= MAX_REMEMBERED_USERS)
      this.completed = { day: today, users: new Set() };
    this.completed.users.add(userId);
  }
}
