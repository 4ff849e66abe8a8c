import { addDays, dayOf, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { instantRange } from './date-range.js';

/** Whole UTC days, both ends inclusive. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

const EARLIEST: Day = '1970-01-01';

/**
 * The days of `startDate` to `endDate`, today at most; the last days up to the end, or up to today, when the start is
 * not given. An instant stands for its day. Refuses what `instantRange` does, dates before 1970, and ranges of more than
 * `atMost` days with INVALID_DATE_RANGE.
 */
export function dayRange(
  query: { startDate?: string; endDate?: string },
  now: Date,
  { lastDays, atMost }: { lastDays: number; atMost?: number },
): DayRange {
  instantRange(query, now);
  const to = earlier(dayOf(now), dayOf(query.endDate === undefined ? now : new Date(query.endDate)));
  const from =
    query.startDate === undefined
      ? later(EARLIEST, addDays(to, 1 - lastDays))
      : dayOf(new Date(query.startDate));
  const given = { startDate: query.startDate ?? null, endDate: query.endDate ?? null };
  const message = 'There is nothing before 1970.';
  if (to < EARLIEST || from < EARLIEST) fail('INVALID_DATE_RANGE', given, { message });
  if (atMost !== undefined && addDays(from, atMost) <= to) failTooLong(`${atMost} days`);
  return { from, to };
}

const earlier = (a: Day, b: Day): Day => (a < b ? a : b);
const later = (a: Day, b: Day): Day => (a > b ? a : b);

/** Refuses a range that has more days or intervals than one answer may have. */
export function failTooLong(atMost: string): never {
  return fail('INVALID_DATE_RANGE', undefined, { message: `At most ${atMost}: take a shorter range.` });
}
