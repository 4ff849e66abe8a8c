import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../kernel/clock.js';
import { dayOf, startOfDay, type Day } from '../../kernel/days.js';
import type { Strategy } from './catalogue.js';
import { NavRoll } from './nav-roll.js';
import {
  flatSince,
  lockForMoving,
  lockForRolling,
  navsOn,
  newestDay,
  withLastChange,
  type NavDay,
} from './nav-rows.js';
import { Strategies } from './strategies.service.js';

/** Where each strategy is today, by strategy id. */
export type NavDays = ReadonlyMap<string, NavDay>;

/** What a write goes by: its instant, and the values of the day that the instant lies on. */
export interface MovingDay extends NavDay {
  /** Domain time of the write. */
  readonly at: Date;
}

/** Midnight has passed since the day was looked at: publish and begin again. */
class DayNotPublished extends Error {}

const ATTEMPTS = 3;

/** The value of a unit of each strategy, day by day. Whoever needs a value that is missing publishes it first. */
@Injectable()
export class Navs {
  /** Published values never change, so a day that is known here needs no query. */
  private readonly known = new Map<string, NavDay>();
  private publishing: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly uow: UnitOfWork,
    private readonly clock: Clock,
    private readonly strategies: Strategies,
    private readonly roll: NavRoll,
  ) {}

  /** The values in force today and tomorrow; catches up day by day when nobody has for a while. */
  async today(): Promise<NavDays> {
    const today = this.clock.today();
    while (this.strategies.all.some((strategy) => !this.reaches(strategy.id, today))) {
      this.publishing ??= this.publish().finally(() => (this.publishing = undefined));
      await this.publishing;
    }
    return new Map(this.known);
  }

  /** The values of a day that has begun; without the strategies that began later. */
  async on(day: Day): Promise<NavDays> {
    await this.today();
    return navsOn(this.dataSource.manager, day);
  }

  /** The day since which a suspended strategy's value stands still (D30). */
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
        return await this.uow.run(work);
      } catch (error) {
        if (!(error instanceof DayNotPublished) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Keeps the strategy on its day until the transaction ends, and tells the day and the instant of the write.
   * Where another replica's clock has begun a later day already, that day counts from its first instant on.
   */
  async lockDay(tx: Tx, strategyId: string): Promise<MovingDay> {
    await lockForMoving(tx, strategyId);
    return this.dayUnderLock(tx, strategyId);
  }

  /** The same, and alone: nothing else moves units of the strategy until the transaction ends. */
  async lockDayAlone(tx: Tx, strategyId: string): Promise<MovingDay> {
    await lockForRolling(tx, strategyId);
    return this.dayUnderLock(tx, strategyId);
  }

  private async dayUnderLock(tx: Tx, strategyId: string): Promise<MovingDay> {
    const now = this.clock.now(); // read behind the lock: it may have been waited for past midnight
    const newest = await newestDay(tx, strategyId);
    if (!newest || newest.day < dayOf(now)) throw new DayNotPublished();
    return { ...newest, at: newest.day === dayOf(now) ? now : startOfDay(newest.day) };
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
    while (!newest || newest.day < this.clock.today()) {
      newest = await this.uow.apart((tx) => this.roll.oneDay(tx, strategy, this.clock.today()));
    }
    this.known.set(strategy.id, await withLastChange(this.dataSource.manager, newest));
  }
}
