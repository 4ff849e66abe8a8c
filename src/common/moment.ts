import { addDays, dayOf, startOfDay, type Day } from './days.js';

/** A point in time to look back to: what happened before `until` counts, at the prices of `day`. */
export interface Moment {
  readonly day: Day;
  /** Exclusive; null counts everything that has happened so far. */
  readonly until: Date | null;
}

/** The end of a day; of today, now. */
export function endOf(day: Day, today: Day): Moment {
  return { day, until: day >= today ? null : startOfDay(addDays(day, 1)) };
}

/** An instant, with what happened at it. */
export function momentOf(instant: Date): Moment {
  return { day: dayOf(instant), until: new Date(instant.getTime() + 1) };
}

/** Compares for sorting, the earliest first. */
export function byTime(a: Moment, b: Moment): number {
  const [left, right] = [a, b].map(({ until }) => until?.getTime() ?? Infinity) as [number, number];
  return left === right ? 0 : left - right;
}
