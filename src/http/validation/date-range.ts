import { addDays, dayOf, startOfDay } from '../../kernel/days.js';
import { fail } from '../../kernel/errors/domain-error.js';

/** From (inclusive) to (exclusive); an end that is not given is open. */
export interface InstantRange {
  from: Date | undefined;
  to: Date | undefined;
}

/**
 * The range of `startDate` and `endDate`. A date without a time is the whole UTC day. Refuses a start after the
 * end, and dates after today, with INVALID_DATE_RANGE.
 */
export function instantRange(query: { startDate?: string; endDate?: string }, now: Date): InstantRange {
  const from = query.startDate === undefined ? undefined : new Date(query.startDate);
  const to = query.endDate === undefined ? undefined : endOf(query.endDate);
  const tomorrow = startOfDay(addDays(dayOf(now), 1));
  // `to` of 9999-12-31 is past the last day that there is: not a date, and not before tomorrow
  if ((from && to && from >= to) || (from && from >= tomorrow) || (to && !(to <= tomorrow))) {
    fail('INVALID_DATE_RANGE', { startDate: query.startDate ?? null, endDate: query.endDate ?? null });
  }
  return { from, to };
}

/** The first instant after the end: of a day the next midnight, of an instant the next millisecond. */
function endOf(text: string): Date {
  return text.length === 10 ? startOfDay(addDays(text, 1)) : new Date(new Date(text).getTime() + 1);
}
