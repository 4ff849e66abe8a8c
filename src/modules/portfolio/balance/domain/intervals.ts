import { addDays, dayOf, startOfDay, type Day } from '../../../../common/days.js';

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
