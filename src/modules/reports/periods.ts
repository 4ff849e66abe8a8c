import { addDays, DAY_MS, dayOf, startOfDay, type Day } from '../../common/days.js';
import { endsOf } from '../balance/domain/intervals.js';

export const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export const REPORT_INTERVALS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** From an instant (inclusive) to another (exclusive), both at the beginning of an hour. */
export interface Window {
  readonly from: Date;
  readonly to: Date;
}

/** Rows of one answer: three years of days. */
export const MOST_POINTS = 1100;

const HOUR_MS = 3_600_000;
const DAYS: Record<'7d' | '30d' | '90d' | '1y', number> = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 };

/**
 * `24h` is this hour and the 23 before it; the others are today and the UTC days before it; `all` begins with the
 * day on which anything happened first.
 */
export function windowOf(period: Period, now: Date, firstDay: Day | undefined): Window {
  const today = dayOf(now);
  if (period === '24h') return { from: new Date(endOfHour(now).getTime() - DAY_MS), to: endOfHour(now) };
  const first = period === 'all' ? (firstDay ?? today) : addDays(today, 1 - DAYS[period]);
  return daysWindow(first, today);
}

/** Whole UTC days, both ends inclusive. */
export function daysWindow(from: Day, to: Day): Window {
  return { from: startOfDay(from), to: startOfDay(addDays(to, 1)) };
}

/** As much time immediately before, of a window in progress as much as has begun of it. */
export function preceding(window: Window, now: Date): Window {
  return { from: new Date(window.from.getTime() - lengthMs(window, now)), to: window.from };
}

/** Length in days, of a window in progress up to the end of this hour: 0.5 is twelve hours. */
export function daysIn(window: Window, now: Date): number {
  return lengthMs(window, now) / DAY_MS;
}

/** The moment so long before a window's end, or before now where it has not ended. */
export function daysBeforeEnd(window: Window, now: Date, days: number): Date {
  return new Date(window.from.getTime() + lengthMs(window, now) - days * DAY_MS);
}

function lengthMs({ from, to }: Window, now: Date): number {
  return Math.min(to.getTime(), endOfHour(now).getTime()) - from.getTime();
}

function endOfHour(now: Date): Date {
  return new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
}

/**
 * The beginnings of the intervals that a range of days consists of, up to now; undefined when there are too many. Weeks begin on Monday, months on their first, the first interval with the range.
 */
export function beginningsOf(window: Window, interval: ReportInterval, now: Date): Date[] | undefined {
  const from = dayOf(window.from);
  const to = addDays(dayOf(window.to), -1);
  if (interval !== 'hourly') {
    const ends = endsOf(from, to, interval, MOST_POINTS);
    return ends && [from, ...ends.slice(0, -1).map((day) => addDays(day, 1))].map(startOfDay);
  }
  const hours = lengthMs(window, now) / HOUR_MS;
  if (hours > MOST_POINTS) return undefined;
  return Array.from({ length: hours }, (_, place) => new Date(window.from.getTime() + place * HOUR_MS));
}

/** The beginning of the interval that comes before a range: the range may begin in the middle of it. */
export function beginningBefore(from: Date, interval: ReportInterval): Date {
  const before = addDays(dayOf(from), -1);
  const start = startOfDay(before);
  switch (interval) {
    case 'hourly':
      return new Date(from.getTime() - HOUR_MS);
    case 'daily':
      return start;
    case 'weekly':
      return startOfDay(addDays(before, -((start.getUTCDay() + 6) % 7)));
    case 'monthly':
      return startOfDay(`${before.slice(0, 7)}-01`);
  }
}
