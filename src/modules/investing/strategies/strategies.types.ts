import type { EntityManager } from 'typeorm';
import type { Day } from '../../../common/days.js';
import type { Money } from '../../../common/money.js';
import type { Strategy } from './entities/strategy.entity.js';

/** Numbers of days that the parameter `period` of a history accepts, and over which a history states returns. */
export const HISTORY_PERIODS = [7, 30, 90] as const;
export type HistoryPeriod = (typeof HISTORY_PERIODS)[number];

/** A strategy of STRATEGIES_FILE. */
export interface ListedStrategy extends Strategy {
  readonly suspended: boolean;
}

/** A strategy, which may be removed from the file, and whether it is suspended. */
export interface StrategyState {
  readonly strategy: Strategy;
  readonly suspended: boolean;
}

/** The known facts about the rate of a day, before a report about this day is applied (`usedRateOf`). */
export interface DayRates {
  /** The first day of the strategy; reports of earlier days are refused. */
  readonly first: Day;
  /** Whether the value of the day after was published during a suspension. */
  readonly suspended: boolean;
  /** The rate that led to the value of the day after; null if that value is not published. */
  readonly published: Money | null;
  /** The rate of the day's report that was applied last; null without one. */
  readonly reported: Money | null;
}

/** A day of a strategy on which a value is in force, and the value of the day after, which is published when the day begins. */
export interface NavDay {
  readonly strategyId: string;
  readonly day: Day;
  /** In force on `day`. */
  readonly nav: Money;
  /** In force on the day after. */
  readonly next: Money;
  /** The last day, up to `day`, on which the value changed; undefined if that was not read or never happened. */
  readonly changedOn?: Day;
  /** Percent a year that the strategy has achieved (`achievedApy`); null before its first full day, undefined if not read. */
  readonly achievedApy?: Money | null;
}

/** The value in USDC that was invested in a strategy on a day. */
export interface InvestedValue {
  /** Without investments that were made on the day: units earn from the next day on. */
  readonly least: Money;
  /** With the investments of the day, which the custody provider may count from that day on. */
  readonly most: Money;
}

/** The newest day of each strategy, by strategy id. */
export type NavDays = ReadonlyMap<string, NavDay>;

/** A snapshot for reads, with the NAVs, which were published before it was opened, because publishing takes a connection of its own. */
export interface ValuedSnapshot {
  readonly manager: EntityManager;
  readonly navs: NavDays;
}

/** The day in force and an instant within it: the domain time of a write, or of a read that predicts one. */
export interface NavDayAt extends NavDay {
  readonly at: Date;
}

/** A day that is locked until the transaction ends, and the domain time of the write. */
export type NavDayLock = NavDayAt;

/** The value of a unit on a day. */
export interface NavPoint {
  readonly day: Day;
  readonly nav: Money;
  /** Percent a year that led from the day before to this value. */
  readonly apy: Money;
}
