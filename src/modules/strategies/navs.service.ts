import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { databaseDay, setClockOffset } from '../../database/domain-day.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, startOfDay, type Day } from '../../common/days.js';
import type { Strategy } from './domain/catalogue.js';
import { NavPublisher } from './nav-publisher.service.js';
import {
  flatSince,
  lockNavDayShared,
  lockNavDayExclusive,
  newestDay,
  withLastChange,
  type NavDay,
} from './navs.repository.js';
import { StrategiesService } from './strategies.service.js';

/** Where each strategy is today, by strategy id. */
export type NavDays = ReadonlyMap<string, NavDay>;

/** What a write goes by: its instant, and the values of the day that the instant lies on. */
export interface NavDayLock extends NavDay {
  /** Domain time of the write. */
  readonly at: Date;
}

/** Midnight has passed since the day was looked at: publish and begin again. */
class DayNotPublished extends Error {}

const ATTEMPTS = 3;
const PASSES = 2;

/** The value of a unit of each strategy, day by day. Whoever needs a value that is missing publishes it first. */
@Injectable()
export class NavsService {
  /** Published values never change, so a day that is known here needs no query. */
  private readonly known = new Map<string, NavDay>();
  private publishing: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly strategies: StrategiesService,
    private readonly roll: NavPublisher,
  ) {}

  /**
   * The values in force today and tomorrow; catches up day by day when nobody has for a while. Where this process's clock
   * is some seconds ahead of the database's, yesterday's values stay in force until midnight by the database's clock.
   */
  @Job({
    name: 'nav-roll',
    purpose: 'Publishes the day’s values of all strategies soon after midnight, before a request has to',
    everySeconds: 15,
  })
  async today(): Promise<NavDays> {
    const today = this.clock.today();
    const isBehind = () => this.strategies.all.some((strategy) => !this.reaches(strategy.id, today));
    // The first pass may be one that had begun before midnight.
    for (let pass = 0; pass < PASSES && isBehind(); pass++) {
      this.publishing ??= this.publish().finally(() => (this.publishing = undefined));
      await this.publishing;
    }
    return new Map(this.known);
  }

  /** The day since which a suspended strategy's value stands still. */
  async flatSince(strategyId: string): Promise<Day> {
    await this.today();
    return flatSince(this.dataSource.manager, strategyId);
  }

  /**
   * Runs a write that moves units: publishes what is missing first, and again if midnight strikes in between.
   * `work` calls `lockDay` before it reads or writes anything that depends on the day.
   */
  async write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      await this.today();
      try {
        return await this.unitOfWork.runInTransaction(work);
      } catch (error) {
        if (!(error instanceof DayNotPublished) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Keeps the strategy on its day until the transaction ends, and tells the day and the instant of the write.
   * The day is the strategy's: its first or last instant counts where this process's clock is some seconds off.
   */
  async lockDay(tx: Tx, strategyId: string): Promise<NavDayLock> {
    await lockNavDayShared(tx, strategyId);
    return this.dayUnderLock(tx, strategyId);
  }

  /** The same, and alone: nothing else moves units of the strategy until the transaction ends. */
  async lockDayAlone(tx: Tx, strategyId: string): Promise<NavDayLock> {
    await lockNavDayExclusive(tx, strategyId);
    return this.dayUnderLock(tx, strategyId);
  }

  private async dayUnderLock(tx: Tx, strategyId: string): Promise<NavDayLock> {
    const now = this.clock.now(); // read behind the lock: it may have been waited for past midnight
    const newest = await newestDay(tx, strategyId);
    if (!newest) throw new DayNotPublished();
    if (newest.day === dayOf(now)) return { ...newest, at: now };
    if (newest.day > dayOf(now)) return { ...newest, at: startOfDay(newest.day) };
    if ((await databaseDay(tx, this.clock)) > newest.day) throw new DayNotPublished();
    return { ...newest, at: new Date(startOfDay(addDays(newest.day, 1)).getTime() - 1) };
  }

  private reaches(strategyId: string, day: string): boolean {
    const known = this.known.get(strategyId);
    return known !== undefined && known.day >= day;
  }

  private async publish(): Promise<void> {
    for (const strategy of this.strategies.all) await this.publishOne(strategy);
  }

  /** One transaction a day, so that a long catching up never keeps writers waiting. */
  private async publishOne(strategy: Strategy): Promise<void> {
    let newest = await newestDay(this.dataSource.manager, strategy.id);
    const today = earlier(this.clock.today(), await databaseDay(this.dataSource.manager, this.clock));
    while (!newest || newest.day < today) {
      newest = await this.unitOfWork.runInNewTransaction(async (tx) => {
        await setClockOffset(tx, this.clock);
        return this.roll.oneDay(tx, strategy, today);
      });
    }
    this.known.set(strategy.id, await withLastChange(this.dataSource.manager, newest));
  }
}

function earlier(one: Day, other: Day): Day {
  return one < other ? one : other;
}
