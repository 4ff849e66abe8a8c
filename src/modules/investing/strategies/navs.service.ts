import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { setClockOffset } from '../../../database/database-clock.js';
import { Job } from '../../../jobs/job.decorator.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { addDays, dayOf, startOfDay, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { dayRange, type DayRange } from '../../../http/request/date-range.js';
import { ACHIEVED_DAYS } from './domain/apy.js';
import type { StrategyHistoryQuery } from './dto/strategies.request.js';
import type { Strategy } from './entities/strategy.entity.js';
import { NavPublishingService } from './nav-publishing.service.js';
import { NavsRepository } from './strategies.repository.js';
import { StrategiesService } from './strategies.service.js';
import {
  HISTORY_PERIODS,
  type NavDay,
  type NavDayAt,
  type NavDayLock,
  type InvestedValue,
  type NavDays,
  type NavPoint,
} from './strategies.types.js';

/** Thrown if midnight passed after the missing NAVs were published; the caller publishes again and retries. */
class DayNotPublished extends Error {}

const MAX_TRANSACTION_ATTEMPTS = 3;
const MAX_PUBLICATION_PASSES = 2;
const DEFAULT_HISTORY_DAYS = 30;
const MAX_HISTORY_DAYS = 1100;

/** Published values of a strategy's unit. */
export interface StrategyHistory {
  readonly strategy: Strategy;
  readonly range: DayRange;
  /** In the order of days: the range and the 30 days before it, the days that returns are counted from, and today as the last. */
  readonly points: readonly NavPoint[];
}

/**
 * The value of a unit of each strategy, day by day. Missing values are published before `runOnPublishedDay` and before reads, except
 * `findAchievedApys`.
 */
@Injectable()
export class NavsService {
  /** The newest published day by strategy id. Published values never change, so a day in this cache needs no query. */
  private readonly cache = new Map<string, NavDay>();
  private runningPublication: Promise<void> | undefined;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly strategies: StrategiesService,
    private readonly publishing: NavPublishingService,
    private readonly repository: NavsRepository,
  ) {}

  /**
   * The values in force today and tomorrow, after publishing all missing days. If the clock of this process is ahead of
   * the database's, yesterday's values stay in force until midnight by the database's clock.
   */
  async getCurrentNavs(): Promise<NavDays> {
    await this.publishMissingNavs();
    return new Map(this.cache);
  }

  /** Publishes the values of all strategies up to today, and posts the growth that they show. */
  @Job({
    name: 'nav-roll',
    purpose: 'Publishes the day’s values of all strategies soon after midnight, before a request has to',
    everySeconds: 15,
  })
  async publishMissingNavs(): Promise<void> {
    const today = this.clock.today();
    const isBehind = () => this.strategies.all.some((strategy) => !this.isCached(strategy.id, today));
    // The first pass may join a publication that began before midnight.
    for (let pass = 0; pass < MAX_PUBLICATION_PASSES && isBehind(); pass++) {
      this.runningPublication ??= this.publishAll().finally(() => (this.runningPublication = undefined));
      await this.runningPublication;
    }
  }

  /**
   * The values in force for reads that predict a write, with the domain time that the write would get. No lock: the values
   * are valid until midnight.
   */
  async getCurrentDay(strategyId: string): Promise<NavDayAt> {
    const day = (await this.getCurrentNavs()).get(strategyId);
    if (!day) throw new Error(`strategy ${strategyId} has no value`);
    return { ...day, at: instantWithin(day.day, this.clock.now()) };
  }

  /** The achieved yield of each strategy up to the beginning of a day, from the published values that `manager` sees. */
  findAchievedApys(
    manager: Pick<EntityManager, 'query'>,
    day: Day,
  ): Promise<ReadonlyMap<string, Money | null>> {
    return this.repository.findAchievedApys(manager, day);
  }

  /** The day since which the value of a suspended strategy has not changed. */
  async getFlatSince(strategyId: string): Promise<Day> {
    await this.publishMissingNavs();
    return this.repository.getFlatSince(strategyId);
  }

  /** Throws STRATEGY_NOT_FOUND, INVALID_DATE_RANGE, and VALIDATION_ERROR if period and startDate are both given. */
  async getHistory(id: string, query: StrategyHistoryQuery): Promise<StrategyHistory> {
    const strategy = this.strategies.findListedStrategy(id) ?? throwError('STRATEGY_NOT_FOUND');
    if (query.period !== undefined && query.startDate !== undefined)
      throwError('VALIDATION_ERROR', [{ field: 'period', message: 'cannot be combined with startDate' }]);
    await this.publishMissingNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, {
      lastDays: query.period ?? DEFAULT_HISTORY_DAYS,
      atMost: MAX_HISTORY_DAYS,
    });
    const today = dayOf(now);
    const compared = HISTORY_PERIODS.map((days) => addDays(today, -days));
    const read = { from: addDays(range.from, -ACHIEVED_DAYS), to: range.to };
    const points = await this.repository.findNavPoints(id, read, today, compared);
    return { strategy, range, points };
  }

  /**
   * Runs a transaction that moves units: publishes missing days first, and again if midnight passes in between. `work`
   * locks the day before it reads or writes anything that depends on the day.
   */
  async runOnPublishedDay<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      await this.publishMissingNavs();
      try {
        return await this.unitOfWork.runInTransaction(work);
      } catch (error) {
        if (!(error instanceof DayNotPublished) || attempt === MAX_TRANSACTION_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Takes the shared lock of the strategy's newest published day: no further day is published until the transaction ends. `at` is the
   * domain time or, if the clock of this process differs by some seconds and is on another day, the first or the last instant of the
   * locked day.
   */
  async lockDayShared(tx: Tx, strategyId: string): Promise<NavDayLock> {
    return this.requireCurrentDay(tx, await this.repository.lockNavDayShared(tx, strategyId));
  }

  /** As `lockDayShared`, and no other transaction moves units of the strategy until this one ends. */
  async lockDayExclusive(tx: Tx, strategyId: string): Promise<NavDayLock> {
    await this.repository.lockNavDayExclusive(tx, strategyId);
    return this.requireCurrentDay(tx, await this.repository.findNewestDay(strategyId, tx));
  }

  /** The value invested on `day`, from the first day of the strategy on. Of a day that has not ended, the value at present. */
  async getInvestedValue(tx: Tx, today: NavDayLock, day: Day): Promise<InvestedValue> {
    const nav = await this.repository.getNavOn(tx, today.strategyId, day);
    const earning = (await this.repository.getEarningUnits(tx, today, day)).times(nav);
    const earningNextDay = (await this.repository.getEarningUnits(tx, today, addDays(day, 1))).times(nav);
    // Redemptions on the next day can make `earningNextDay` the smaller one.
    return { least: Money.min(earning, earningNextDay), most: Money.max(earning, earningNextDay) };
  }

  /**
   * The newest published day of a strategy whose day is locked, with the domain time of the write. If today is not published,
   * it throws an error for which `runOnPublishedDay` publishes and runs the transaction again.
   */
  private async requireCurrentDay(tx: Tx, newest: NavDay | undefined): Promise<NavDayLock> {
    const now = this.clock.now(); // read after locking, because the wait may have passed midnight
    if (!newest) throw new DayNotPublished();
    const isBehind = newest.day < dayOf(now);
    // A process whose clock is ahead asks the database, whose clock decides when a day begins (DEC-26).
    if (isBehind && (await this.repository.getDatabaseDay(this.clock, tx)) > newest.day)
      throw new DayNotPublished();
    return { ...newest, at: instantWithin(newest.day, now) };
  }

  private isCached(strategyId: string, day: Day): boolean {
    const cached = this.cache.get(strategyId);
    return cached !== undefined && cached.day >= day;
  }

  private async publishAll(): Promise<void> {
    for (const strategy of this.strategies.all) await this.publishMissingDays(strategy);
  }

  /** One transaction for each day, so that catching up over many days does not block writers for long. */
  private async publishMissingDays(strategy: Strategy): Promise<void> {
    let newest = await this.repository.findNewestDay(strategy.id);
    // The database refuses values of days that have not begun by its clock.
    const today = earlier(this.clock.today(), await this.repository.getDatabaseDay(this.clock));
    while (!newest || newest.day < today) {
      newest = await this.unitOfWork.runInNewTransaction(async (tx) => {
        await setClockOffset(tx, this.clock);
        return this.publishing.publishNextDay(tx, strategy, today);
      });
    }
    this.cache.set(strategy.id, await this.repository.withHistory(newest));
  }
}

/** `now`; if it is outside of the day, the first or the last instant of the day. */
function instantWithin(day: Day, now: Date): Date {
  if (day === dayOf(now)) return now;
  return day > dayOf(now) ? startOfDay(day) : new Date(startOfDay(addDays(day, 1)).getTime() - 1);
}

function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}
