import { addDays, dayOf, startOfDay, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';

/** From (inclusive) to (exclusive); an end that is not given is open. */
export interface InstantRange {
  from: Date | undefined;
  to: Date | undefined;
}

/**
 * The range of `startDate` and `endDate`. A date without a time is the whole UTC day. Refuses a start after the end, a
 * start after today and an end after tomorrow with INVALID_DATE_RANGE. Tomorrow in UTC is already today east of
 * Greenwich.
 */
export function instantRange(query: { startDate?: string; endDate?: string }, now: Date): InstantRange {
  const from = query.startDate === undefined ? undefined : new Date(query.startDate);
  const to = query.endDate === undefined ? undefined : endOf(query.endDate);
  const rule = brokenRule({ from, to }, dayOf(now));
  if (rule !== undefined) {
    const details = { startDate: query.startDate ?? null, endDate: query.endDate ?? null };
    fail('INVALID_DATE_RANGE', details, { message: rule });
  }
  return { from, to };
}

function brokenRule({ from, to }: InstantRange, today: Day): string | undefined {
  const tomorrow = addDays(today, 1);
  // For the end 9999-12-31 `to` is an invalid date, for which every comparison is false: hence the negation.
  if (to && !(to <= startOfDay(addDays(tomorrow, 1))))
    return `The end date must not be after tomorrow, ${tomorrow} (UTC).`;
  if (from && from >= startOfDay(tomorrow)) return `The start date must not be after today, ${today} (UTC).`;
  if (from && to && from >= to) return 'The start date must not be after the end date.';
  return undefined;
}

/** The first instant after the end: of a day the next midnight, of an instant the next millisecond. */
function endOf(text: string): Date {
  return text.length === 10 ? startOfDay(addDays(text, 1)) : new Date(new Date(text).getTime() + 1);
}
