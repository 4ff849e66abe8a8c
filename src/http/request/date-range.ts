import { addDays, dayOf, startOfDay, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';

interface DateRangeQuery {
  readonly startDate?: string;
  readonly endDate?: string;
}

/** From (inclusive) to (exclusive). Undefined: no limit. */
export interface InstantRange {
  from: Date | undefined;
  to: Date | undefined;
}

/** Whole UTC days, both inclusive. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

const EARLIEST: Day = '1970-01-01';

/**
 * The range from `startDate` to `endDate`. A date without a time is the whole UTC day. Throws INVALID_DATE_RANGE for a start
 * after the end, a start after today and an end after tomorrow, which has already begun in time zones east of Greenwich.
 */
export function instantRange(query: DateRangeQuery, now: Date): InstantRange {
  const from = query.startDate === undefined ? undefined : new Date(query.startDate);
  const to = query.endDate === undefined ? undefined : endOf(query.endDate);
  const message = problemOf({ from, to }, dayOf(now));
  if (message !== undefined) fail('INVALID_DATE_RANGE', detailsOf(query), { message });
  return { from, to };
}

/**
 * The UTC days from `startDate` to `endDate`. The default end is today, the default start `lastDays` before the end. Throws
 * INVALID_DATE_RANGE as `instantRange` does, for dates before 1970, and for more than `atMost` days.
 */
export function dayRange(
  query: DateRangeQuery,
  now: Date,
  { lastDays, atMost }: { lastDays: number; atMost?: number },
): DayRange {
  instantRange(query, now);
  const to = earlier(dayOf(now), dayOf(query.endDate === undefined ? now : new Date(query.endDate)));
  const from =
    query.startDate === undefined
      ? later(EARLIEST, addDays(to, 1 - lastDays))
      : dayOf(new Date(query.startDate));
  const message = 'Dates before 1970 are not supported.';
  if (to < EARLIEST || from < EARLIEST) fail('INVALID_DATE_RANGE', detailsOf(query), { message });
  if (atMost !== undefined && addDays(from, atMost) <= to) failTooLong(`${atMost} days`);
  return { from, to };
}

/** Refuses a range with more days, intervals or records than one response may have. */
export function failTooLong(maximum: string): never {
  return fail('INVALID_DATE_RANGE', undefined, { message: `At most ${maximum}: choose a shorter range.` });
}

function problemOf({ from, to }: InstantRange, today: Day): string | undefined {
  const tomorrow = addDays(today, 1);
  // For the end 9999-12-31 `to` is an invalid date, for which every comparison is false: hence the negation.
  if (to && !(to <= startOfDay(addDays(tomorrow, 1))))
    return `The end date must not be after tomorrow, ${tomorrow} (UTC).`;
  if (from && from >= startOfDay(tomorrow)) return `The start date must not be after today, ${today} (UTC).`;
  if (from && to && from >= to) return 'The start date must not be after the end date.';
  return undefined;
}

function detailsOf({ startDate, endDate }: DateRangeQuery): Record<string, string | null> {
  return { startDate: startDate ?? null, endDate: endDate ?? null };
}

/** The first instant after the end: the next midnight after a day, the next millisecond after an instant. */
function endOf(text: string): Date {
  return text.length === 10 ? startOfDay(addDays(text, 1)) : new Date(new Date(text).getTime() + 1);
}

const earlier = (a: Day, b: Day): Day => (a < b ? a : b);
const later = (a: Day, b: Day): Day => (a > b ? a : b);
