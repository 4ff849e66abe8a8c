import { addDays, dayOf, startOfDay, type Day } from '../common/days.js';
import { SUM_COLUMNS, sumsOfRows, tablesOf, type ListName } from './list-rows.js';
import type { TotalName } from './total-marks.js';

const COLUMNS = SUM_COLUMNS.join(', ');

// Reads totals of lists at a cost that does not grow with the number of rows, from their sums by day, month and year
// (`list-sums.ts`). Rows of a day of which a filter selects a part, and rows by any other filter, are counted one by one.

/** The filter of a list. */
export interface ListTotalsFilter {
  readonly list: ListName;
  /** The values that columns must equal, in the order of the facets in `list-rows.ts`; null matches every value. */
  readonly facets: readonly (string | null)[];
  /** The whole filter as SQL: a listed table with its alias (`name`), and a condition on the first parameters. */
  readonly rows?: { readonly table: string; readonly name: string; readonly where: string };
  /** A period of the list's time column: `from` is included, `until` is not. */
  readonly time?: { readonly column: string; readonly from: Date | null; readonly until: Date | null };
  /** The filter has further conditions, by which no sums are kept. */
  readonly hasOtherConditions?: boolean;
}

/** True if the filter has facets only. `rows.where` and its parameters are then not used. */
export function isByFacets({ time, hasOtherConditions }: ListTotalsFilter): boolean {
  return !hasOtherConditions && !isByTime(time);
}

const isByTime = (time: ListTotalsFilter['time']) => Boolean(time?.from ?? time?.until);

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

/** SQL of the time up to which the sums of a list include every change. */
export function asOfSql(name: TotalName): string {
  return `coalesce((select as_of from total_run where name = '${name}'), 'epoch')`;
}

/**
 * SQL of rows with the columns `facets` and `SUM_COLUMNS`, whose sums are the totals of the filtered list. Adds its values to
 * `parameters`.
 */
export function listTotals(filter: ListTotalsFilter, parameters: unknown[]): string {
  const { list, facets, rows, time } = filter;
  const addParameter = (value: unknown): string => `$${parameters.push(value)}`;
  /** Adds up rows one by one. `joined`: a further item of `from` with a comma behind it, or nothing. */
  const totalsOfRows = (joined: string, condition: string): string => {
    const listed = tablesOf(list).find(({ table }) => rows?.table.split(' ')[0] === table);
    if (!rows || !listed) throw new Error(`the filter of ${list} has no table`);
    const where = `(${rows.where}) and ${condition}`;
    return `select facets, ${COLUMNS} from (${sumsOfRows(listed, { row: rows.name, from: `${joined}${rows.table}`, where, key: 'null' })}) as part`;
  };
  if (filter.hasOtherConditions) return totalsOfRows('', 'true');
  const conditions = facets.flatMap((facet, index) =>
    facet === null ? [] : [`and facets[${index + 1}] = ${addParameter(facet)}`],
  );
  const sums = (condition: string) =>
    `select facets, ${COLUMNS} from list_sum where list = '${list}' and ${condition} ${conditions.join(' ')}`;
  if (!time || !isByTime(time)) return sums(`span = 'year'`);
  const { first, last, partialDays } = cutByDay(time);
  const startOf = (day: Day) => `(${addParameter(day)}::date)::timestamp at time zone 'UTC'`;
  const wholeDays = sums(`span = 'day' and at >= ${startOf(first)} and at <= ${startOf(last)}`);
  const since = addParameter(partialDays.map((part) => part.from?.toISOString() ?? '-infinity'));
  const until = addParameter(partialDays.map((part) => part.until?.toISOString() ?? 'infinity'));
  const within = `${time.column} >= partial_day.since and ${time.column} < partial_day.until`;
  const partialDay = `unnest(${since}::timestamptz[], ${until}::timestamptz[]) as partial_day(since, until), `;
  return `${wholeDays} union all ${totalsOfRows(partialDay, within)}`;
}

interface Period {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** The whole UTC days of a period, and the partial days at its ends. */
export function cutByDay({ from, until }: Period): { first: Day; last: Day; partialDays: Period[] } {
  // The day after LAST_DAY has a year of five digits and is no `Day`, so rows of LAST_DAY are counted one by one.
  if (from !== null && dayOf(from) === LAST_DAY) {
    return { first: LAST_DAY, last: addDays(LAST_DAY, -1), partialDays: [{ from, until }] };
  }
  const first = from === null ? FIRST_DAY : firstWholeDayFrom(from);
  const last = until === null ? LAST_DAY : addDays(dayOf(until), -1);
  const isWithinADay = from !== null && until !== null && first > dayOf(until);
  if (isWithinADay) return { first, last, partialDays: [{ from, until }] };
  return {
    first,
    last,
    partialDays: [
      ...(from !== null && !isMidnight(from) ? [{ from, until: startOfDay(first) }] : []),
      ...(until !== null && !isMidnight(until) ? [{ from: startOfDay(dayOf(until)), until }] : []),
    ],
  };
}

function firstWholeDayFrom(instant: Date): Day {
  return isMidnight(instant) ? dayOf(instant) : addDays(dayOf(instant), 1);
}

function isMidnight(instant: Date): boolean {
  return startOfDay(dayOf(instant)).getTime() === instant.getTime();
}
