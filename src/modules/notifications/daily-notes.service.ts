import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { addDays, type Day } from '../../common/days.js';
import { PortfolioService } from '../investments/portfolio.service.js';
import { NavsService } from '../strategies/navs.service.js';
import { ProfilesService } from '../users/profiles.service.js';
import { earningsNote, suspensionNote } from './notification.texts.js';
import type { Note } from './notification.words.js';
import { NotificationsService } from './notifications.service.js';

const REMEMBERED_USERS = 50_000;
/** What the keys of digests begin with; the last day that the digest covers follows. */
const DIGEST = 'earnings';

interface OnceTold {
  readonly note: Note;
  readonly key: string;
}

/**
 * Notes that follow from the day and not from a fact, made when a user first looks: earnings of every day since
 * the last digest, and suspended strategies. Each is told once by its key, whoever looks at once and on whichever replica.
 */
@Injectable()
export class DailyNotesService {
  /** Users to whom nothing more can be told today: they cost no query. */
  private settled = { day: '', users: new Set<string>() };

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly investments: PortfolioService,
    private readonly navs: NavsService,
    private readonly profiles: ProfilesService,
    private readonly notifications: NotificationsService,
  ) {}

  async bringUpToDate(userId: string): Promise<void> {
    const today = this.clock.today();
    if (this.isSettled(today, userId)) return;
    const wantsEarnings = await this.profiles.wantsOptional(userId);
    const notes = [
      ...(await this.suspensions(userId)),
      ...(wantsEarnings ? await this.earnings(userId, addDays(today, -1)) : []),
    ];
    if (notes.length > 0) {
      await this.unitOfWork.runInTransaction(async (tx) => {
        const at = this.clock.now();
        for (const { note, key } of notes) await this.notifications.writeOnce(tx, userId, at, note, key);
      });
    }
    if (wantsEarnings) this.settle(today, userId); // who does not want them may change their mind today
  }

  /** A digest of all days that no digest has covered, up to `to`. Days without growth wait for the next one. */
  private async earnings(userId: string, to: Day): Promise<OnceTold[]> {
    const last = await this.lastDigest(userId);
    if (last !== null && last >= to) return [];
    const { from: first, growth } = await this.investments.growthSince(userId, last, to);
    const from = last === null ? first : addDays(last, 1);
    const note = from === null ? undefined : earningsNote({ from, to }, growth);
    return note ? [{ note, key: `${DIGEST} ${to}` }] : [];
  }

  /** The last day that a digest has covered. */
  private async lastDigest(userId: string): Promise<Day | null> {
    const [row] = await this.dataSource.query<{ day: Day | null }[]>(
      `select max(substr(told_once, length($2) + 2)) as day from notification
        where user_id = $1 and told_once is not null and starts_with(told_once, $2 || ' ')`,
      [userId, DIGEST],
    );
    return row?.day ?? null;
  }

  /** Once per suspension: one that is lifted and comes again on a later day is told again. */
  private async suspensions(userId: string): Promise<OnceTold[]> {
    const strategies = await this.investments.pausedStrategiesOf(userId);
    return Promise.all(
      strategies.map(async (strategy) => {
        const flatSince = await this.navs.flatSince(strategy.id);
        return { note: suspensionNote(strategy, flatSince), key: `suspended ${strategy.id} ${flatSince}` };
      }),
    );
  }

  private isSettled(today: Day, userId: string): boolean {
    return this.settled.day === today && this.settled.users.has(userId);
  }

  private settle(today: Day, userId: string): void {
    if (this.settled.day !== today || this.settled.users.size >= REMEMBERED_USERS)
      this.settled = { day: today, users: new Set() };
    this.settled.users.add(userId);
  }
}
