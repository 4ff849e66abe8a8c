import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { addDays, type Day } from '../../common/days.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import { NavsService } from '../strategies/navs.service.js';
import { ProfilesService } from '../users/profiles.service.js';
import { earningsNotification, suspensionNotification } from './domain/notification-texts.js';
import { NotificationWritesService } from './notification-writes.service.js';
import { NotificationsRepository } from './notifications.repository.js';
import type { NotificationContent } from './notifications.types.js';

/** A process that remembers this many users forgets all of them; their next requests query the database again. */
const MAX_REMEMBERED_USERS = 50_000;
/** The key of an earnings digest is this prefix and the last day that the digest covers. */
const DIGEST_PREFIX = 'earnings';

interface DueNotification {
  readonly content: NotificationContent;
  /** See `NewNotification`. */
  readonly onceKey: string;
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
    const wantsEarnings = await this.profiles.wantsOptionalNotifications(userId);
    const due = [
      ...(await this.findSuspensions(userId)),
      ...(wantsEarnings ? await this.findEarnings(userId, addDays(today, -1)) : []),
    ];
    if (due.length > 0) {
      await this.unitOfWork.runInTransaction(async (tx) => {
        const at = this.clock.now();
        for (const dueNotification of due)
          await this.writes.insertNotification(tx, { userId, at, ...dueNotification });
      });
    }
    if (wantsEarnings) this.rememberUser(today, userId); // a user without the preference may switch it on today
  }

  /**
   * The earnings digest of the days up to `to` that no earlier digest covers. If their growth is zero, the list is empty, and
   * the next digest covers these days, too.
   */
  private async findEarnings(userId: string, to: Day): Promise<DueNotification[]> {
    const last = await this.notifications.findLastOnceKeyDay(userId, DIGEST_PREFIX);
    if (last !== null && last >= to) return [];
    const { from: first, growth } = await this.investments.growthSince(userId, last, to);
    const from = last === null ? first : addDays(last, 1);
    const content = from === null ? undefined : earningsNotification({ from, to }, growth);
    return content ? [{ content, onceKey: `${DIGEST_PREFIX} ${to}` }] : [];
  }

  /** One notification per suspension; a later suspension of the same strategy has another key. */
  private async findSuspensions(userId: string): Promise<DueNotification[]> {
    const strategies = await this.investments.pausedStrategiesOf(userId);
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
