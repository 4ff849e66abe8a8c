import { addDays, dayOf, startOfDay, type Day } from '../common/days.js';

// Reads list totals (migrations/025-list-totals.sql) at a cost that does not grow with the number of rows. The totals are kept
// by day and by amount band: amounts of one band are equal when rounded down to three digits. The results are exact, because
// rows of a day or band of which the filter selects a part are counted one by one.

/** The filter of a list. */
export interface ListTotalsFilter {
  /** The list's name in `list_total_row`. */
  readonly list: string;
  /** The values that columns must equal, in the order of the facets in `list_total_row`; null matches every value. */
  readonly facets: readonly (string | null)[];
  /** The whole filter as SQL: the table with its alias, the alias (`name`), and a condition on the first parameters. */
  readonly rows?: { readonly table: string; readonly name: string; readonly where: string };
  /** A period of the list's time column: `from` is included, `until` is not. */
  readonly time?: { readonly column: string; readonly from: Date | null; readonly until: Date | null };
  /** Only rows whose amount is at least `amount`; null is no limit. */
  readonly least?: { readonly column: string; readonly amount: string | null };
  /** The filter has further conditions, which the totals do not cover. */
  readonly hasOtherConditions?: boolean;
}

/** True if the filter has facets only. `rows.where` and its parameters are then not used. */
export function isByFacets({ time, least, hasOtherConditions }: ListTotalsFilter): boolean {
  return !hasOtherConditions && !isByTime(time) && !isByAmount(least);
}

const isByTime = (time: ListTotalsFilter['time']) => Boolean(time?.from ?? time?.until);
const isByAmount = (least: ListTotalsFilter['least']) => (least?.amount ?? null) !== null;

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

/** SQL of rows of type `list_total_delta` whose sums are the totals of the filtered list. Adds its values to `parameters`. */
export function listTotals(filter: ListTotalsFilter, parameters: unknown[]): string {
  const { list, facets, rows, time, least } = filter;
  const addParameter = (value: unknown): string => `$${parameters.push(value)}`;
  const totalsOfRows = (from: string, condition: string): string => {
    if (!rows) throw new Error(`the filter of ${list} has no table`);
    return `select list_total_row.* from ${from}${rows.table}, list_total_row(${rows.name})
      where (${rows.where}) and ${condition}`;
  };
  const isByBoth = isByTime(time) && isByAmount(least); // no total is kept by day and amount band together
  if (filter.hasOtherConditions || isByBoth) return totalsOfRows('', 'true');
  const listAndFacets = `${addParameter(list)}, ${addParameter(facets)}::text[]`;
  if (time && isByTime(time)) {
    const { first, last, partialDays } = cutByDay(time);
    const since = addParameter(partialDays.map((part) => part.from?.toISOString() ?? '-infinity'));
    const until = addParameter(partialDays.map((part) => part.until?.toISOString() ?? 'infinity'));
    const within = `${time.column} >= partial_day.since and ${time.column} < partial_day.until`;
    const partialDay = `unnest(${since}::timestamptz[], ${until}::timestamptz[]) as partial_day(since, until), `;
    return `select * from list_totals_of_days(${listAndFacets}, ${addParameter(first)}::date, ${addParameter(last)}::date)
      union all ${totalsOfRows(partialDay, within)}`;
  }
  if (least && isByAmount(least)) {
    const amount = `${addParameter(least.amount)}::numeric`;
    const within = `${least.column} >= ${amount} and ${least.column} < next_amount_band(${amount}, 3)`;
    return `select * from list_totals_above(${listAndFacets}, ${amount}) union all ${totalsOfRows('', within)}`;
  }
  return `select * from list_totals(${listAndFacets})`;
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
