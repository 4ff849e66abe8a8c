import { addDays, dayOf, startOfDay, type Day } from './days.js';

/** A point in time for a historical balance: it includes events before `until`, and values units at the NAV of `day`. */
export interface Moment {
  readonly day: Day;
  /** Exclusive; null includes every event so far. */
  readonly until: Date | null;
}

/** The end of a day; for today, the present. */
export function endOf(day: Day, today: Day): Moment {
  return { day, until: day >= today ? null : startOfDay(addDays(day, 1)) };
}

/** An instant; events at exactly this instant are included. */
export function momentOf(instant: Date): Moment {
  return { day: dayOf(instant), until: new Date(instant.getTime() + 1) };
}

/** Compares for sorting, the earliest first. */
export function byTime(a: Moment, b: Moment): number {
  const left = a.until?.getTime() ?? Infinity;
  const right = b.until?.getTime() ?? Infinity;
  return left === right ? 0 : left - right; // Infinity - Infinity is NaN
}

/** The end of a moment for a comparison in SQL. */
export function untilAsTimestamp({ until }: Moment): string {
  return until?.toISOString() ?? 'infinity';
}
