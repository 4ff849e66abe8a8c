import { addDays, dayOf, startOfDay, type Day } from '../../common/days.js';
import { throwError } from '../../common/errors/domain-error.js';
import type { FieldProblem } from '../../common/errors/error-details.js';

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

interface DayRangeOptions {
  /** Without a start the range has this many days up to its end or, if it ends later than today, up to today. */
  readonly lastDays: number;
  readonly atMost?: number;
  /** The end may be in the future, and stays as it is. Otherwise the range ends today at the latest. */
  readonly mayEndLater?: boolean;
}

const EARLIEST: Day = '1970-01-01';

/**
 * The range from `startDate` to `endDate`. A date without a time is the whole UTC day. Throws INVALID_DATE_RANGE for a start
 * after the end, a start after today and an end after tomorrow. Tomorrow may have begun in time zones east of Greenwich.
 */
export function instantRange(query: DateRangeQuery, now: Date): InstantRange {
  const range = rangeOf(query);
  refuseIf(rangeProblemOf(range, dayOf(now)), query);
  return range;
}

/**
 * The UTC days from `startDate` to `endDate`. The default end is today. The default start is the first of the `lastDays`
 * days that end with the range, or with today if the range ends later. Throws INVALID_DATE_RANGE for dates before 1970, for more
 * than `atMost` days, and as `instantRange` does, except for an end after tomorrow with `mayEndLater`.
 */
export function dayRange(
  query: DateRangeQuery,
  now: Date,
  { lastDays, atMost, mayEndLater = false }: DayRangeOptions,
): DayRange {
  const today = dayOf(now);
  const range = rangeOf(query);
  refuseIf(mayEndLater ? orderProblemOf(range, today) : rangeProblemOf(range, today), query);
  const end = query.endDate === undefined ? today : dayOf(new Date(query.endDate));
  const endOrToday = earlier(today, end);
  const to = mayEndLater ? end : endOrToday;
  const from =
    query.startDate === undefined
      ? later(EARLIEST, addDays(endOrToday, 1 - lastDays))
      : dayOf(new Date(query.startDate));
  if (to < EARLIEST || from < EARLIEST)
    refuseIf({ field: 'startDate', message: 'Dates before 1970 are not supported.' }, query);
  if (atMost !== undefined && addDays(from, atMost) <= to) failTooLong(`${atMost} days`);
  return { from, to };
}

/** Refuses a range with more days, intervals or records than one response may have. */
export function failTooLong(
  maximum: string,
  advice = ': choose a shorter range',
  field = 'startDate',
): never {
  const message = `At most ${maximum}${advice}.`;
  return throwError('INVALID_DATE_RANGE', [{ field, message }], { message });
}

function rangeOf({ startDate, endDate }: DateRangeQuery): InstantRange {
  return {
    from: startDate === undefined ? undefined : new Date(startDate),
    to: endDate === undefined ? undefined : endOf(endDate),
  };
}

function refuseIf(problem: FieldProblem | undefined, { startDate, endDate }: DateRangeQuery): void {
  if (!problem) return;
  const { message } = problem;
  throwError('INVALID_DATE_RANGE', { fields: [problem], startDate, endDate }, { message });
}

function rangeProblemOf(range: InstantRange, today: Day): FieldProblem | undefined {
  return endProblemOf(range, today) ?? orderProblemOf(range, today);
}

function endProblemOf({ to }: InstantRange, today: Day): FieldProblem | undefined {
  const tomorrow = addDays(today, 1);
  // For the end 9999-12-31 `to` is an invalid date, for which every comparison is false: hence the negation.
  const isLate = to !== undefined && !(to <= startOfDay(addDays(tomorrow, 1)));
  if (!isLate) return undefined;
  return { field: 'endDate', message: `The end date must not be after tomorrow, ${tomorrow} (UTC).` };
}

function orderProblemOf({ from, to }: InstantRange, today: Day): FieldProblem | undefined {
  if (from && from >= startOfDay(addDays(today, 1)))
    return { field: 'startDate', message: `The start date must not be after today, ${today} (UTC).` };
  if (from && to && from >= to)
    return { field: 'startDate', message: 'The start date must not be after the end date.' };
  return undefined;
}

/** The first instant after the end: the next midnight after a day, the next millisecond after an instant. */
function endOf(text: string): Date {
  return text.length === 10 ? startOfDay(addDays(text, 1)) : new Date(new Date(text).getTime() + 1);
}

const earlier = (a: Day, b: Day): Day => (a < b ? a : b);
const later = (a: Day, b: Day): Day => (a > b ? a : b);
