import type { Day } from '../../common/days.js';
import type { Money } from '../../common/money.js';

/** Days that a history can cover, and over which it compares values. */
export const HISTORY_PERIODS = [7, 30, 90] as const;
export type HistoryPeriod = (typeof HISTORY_PERIODS)[number];

/** The newest day of a strategy whose values are published. */
export interface NavDay {
  readonly strategyId: string;
  readonly day: Day;
  /** In force on `day`. */
  readonly nav: Money;
  /** In force on the day after. */
  readonly next: Money;
  /** The last day, up to `day`, on which the value changed; undefined if that was not read or never happened. */
  readonly changedOn?: Day;
}

/** The newest day of each strategy, by strategy id. */
export type NavDays = ReadonlyMap<string, NavDay>;

/** A day that is locked until the transaction ends, and the domain time of the write. */
export interface NavDayLock extends NavDay {
  readonly at: Date;
}

/** The value of a unit on a day. */
export interface NavPoint {
  readonly day: Day;
  readonly nav: Money;
  /** Percent a year that led from the day before to this value. */
  readonly apy: Money;
}
