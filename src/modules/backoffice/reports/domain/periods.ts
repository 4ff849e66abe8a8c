import { addDays, dayOf, endsOf, startOfDay, type Day } from '../../../../common/days.js';
import { DAY_MS, HOUR_MS } from '../../../../common/durations.js';
export const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export const REPORT_INTERVALS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** From (inclusive) to (exclusive), both at the beginning of an hour. */
export interface TimeWindow {
  readonly from: Date;
  readonly to: Date;
}

export interface PeriodWindow extends TimeWindow {
  /** The part of the window since the first day of the platform. */
  readonly existing: TimeWindow;
}

/** The limit of rows of one response; the days of three years, at most 1,096, fit in. */
export const MAX_POINTS = 1100;

/** Days of a range without startDate; its first and last day both count. */
export const DEFAULT_RANGE_DAYS = 31;

const DAYS_OF_PERIOD: Record<'7d' | '30d' | '90d' | '1y', number> = {
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '1y': 365,
};

/**
 * `24h` is the current hour and the 23 before it; all other periods are UTC days that end with today. `all` begins with
 * `firstDay`, that of the platform, or with today if that is undefined.
 */
export function windowOf(period: Period, now: Date, firstDay: Day | undefined): PeriodWindow {
  return withExisting(windowBefore(period, now, firstDay), firstDay);
}

/** `existing` is the whole window if it ends before the first day of the platform, or if there is no first day yet. */
export function withExisting(window: TimeWindow, firstDay: Day | undefined): PeriodWindow {
  const { from, to } = window;
  const start = firstDay === undefined ? from : startOfDay(firstDay);
  return { from, to, existing: { from: start > from && start < to ? start : from, to } };
}

function windowBefore(period: Period, now: Date, firstDay: Day | undefined): TimeWindow {
  const today = dayOf(now);
  if (period === '24h') return { from: new Date(endOfHour(now).getTime() - DAY_MS), to: endOfHour(now) };
  const first = period === 'all' ? (firstDay ?? today) : addDays(today, 1 - DAYS_OF_PERIOD[period]);
  return daysWindow(first, today);
}

/** Whole UTC days, both ends inclusive. */
export function daysWindow(from: Day, to: Day): TimeWindow {
  return { from: startOfDay(from), to: startOfDay(addDays(to, 1)) };
}

/** The window of the same length immediately before; a window in progress counts up to the end of the current hour. */
export function precedingWindow(window: TimeWindow, now: Date): TimeWindow {
  return { from: new Date(window.from.getTime() - lengthMs(window, now)), to: window.from };
}

/** The length of a window in days; a window in progress counts up to the end of the current hour. */
export function daysIn(window: TimeWindow, now: Date): number {
  return lengthMs(window, now) / DAY_MS;
}

/** The time `days` days before the end of a window, or before the end of the current hour if the window is in progress. */
export function daysBeforeEnd(window: TimeWindow, now: Date, days: number): Date {
  return new Date(window.from.getTime() + lengthMs(window, now) - days * DAY_MS);
}

function lengthMs({ from, to }: TimeWindow, now: Date): number {
  return Math.min(to.getTime(), endOfHour(now).getTime()) - from.getTime();
}

function endOfHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
}

/**
 * The starts of the intervals of a range of days, up to now; undefined for more than MAX_POINTS. Weeks begin on Monday, months
 * on their first day. The first interval begins with the range.
 */
export function intervalStarts(window: TimeWindow, interval: ReportInterval, now: Date): Date[] | undefined {
  const from = dayOf(window.from);
  const to = addDays(dayOf(window.to), -1);
  if (interval !== 'hourly') {
    const ends = endsOf(from, to, interval, MAX_POINTS);
    return ends && [from, ...ends.slice(0, -1).map((day) => addDays(day, 1))].map(startOfDay);
  }
  const hours = lengthMs(window, now) / HOUR_MS;
  if (hours > MAX_POINTS) return undefined;
  return Array.from({ length: hours }, (_, index) => new Date(window.from.getTime() + index * HOUR_MS));
}

/** The start of the interval before a range that starts at `from`. */
export function precedingIntervalStart(from: Date, interval: ReportInterval): Date {
  const before = addDays(dayOf(from), -1);
  const start = startOfDay(before);
  switch (interval) {
    case 'hourly':
      return new Date(from.getTime() - HOUR_MS);
    case 'daily':
      return start;
    case 'weekly': // getUTCDay() is 0 on Sunday, and weeks begin on Monday
      return startOfDay(addDays(before, -((start.getUTCDay() + 6) % 7)));
    case 'monthly':
      return startOfDay(`${before.slice(0, 7)}-01`);
  }
}
