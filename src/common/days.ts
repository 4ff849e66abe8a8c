import { DAY_MS } from './durations.js';

/** Bounds of dates in requests and callbacks. PostgreSQL and four-digit ISO 8601 years can represent all instants between. */
const FIRST_INSTANT = Date.parse('1970-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** A UTC calendar day, `YYYY-MM-DD`. Text order is time order. */
export type Day = string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOfDay(day).getTime() + count * DAY_MS));
}

/** Whole days from one day to another; negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (startOfDay(to).getTime() - startOfDay(from).getTime()) / DAY_MS;
}

/** True for an instant from the start of 1970 to the end of 9999; false for an invalid date. */
export function isWithinCalendar(instant: Date): boolean {
  return instant.getTime() >= FIRST_INSTANT && instant.getTime() <= LAST_INSTANT;
}

/** True if the text is a day that exists in the calendar; false for 2026-02-30. */
export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(startOfDay(text).getTime()) && dayOf(startOfDay(text)) === text;
}

export const INTERVALS = ['daily', 'weekly', 'monthly'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The last day of the interval that contains a day. Weeks follow ISO 8601 and end on Sunday. */
function lastDayOf(day: Day, interval: Interval): Day {
  const start = startOfDay(day);
  switch (interval) {
    case 'daily':
      return day;
    case 'weekly':
      return addDays(day, (7 - start.getUTCDay()) % 7);
    case 'monthly': {
      const nextMonth = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
      return addDays(dayOf(nextMonth), -1);
    }
  }
}

/**
 * The last days of the intervals of a range of days; the last interval ends with the range. Undefined for more than
 * `atMost` intervals.
 */
export function endsOf(from: Day, to: Day, interval: Interval, atMost: number): Day[] | undefined {
  const ends: Day[] = [];
  let day = from;
  while (day <= to) {
    if (ends.length === atMost) return undefined;
    const last = lastDayOf(day, interval);
    ends.push(last < to ? last : to);
    day = addDays(last, 1);
  }
  return ends;
}
