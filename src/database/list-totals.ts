import { addDays, dayOf, startOfDay, type Day } from '../common/days.js';

// Totals of lists out of what is kept with their rows, so that they cost as much for a million rows as
// for a hundred: exact, because a day or a band of amounts that a filter cuts is counted row by row.

/** Which rows of a list are asked for. */
export interface ListTotalsFilter {
  /** As `list_total_row` names it. */
  readonly list: string;
  /** What is filtered by of what is kept, in the order of `list_total_row`; null is any. */
  readonly facets: readonly (string | null)[];
  /** The whole filter as SQL: a table, its rows' name and a condition on the statement's first parameters. */
  readonly rows?: { readonly table: string; readonly name: string; readonly where: string };
  /** By the list's own time: `from` included, `until` not. */
  readonly time?: { readonly column: string; readonly from: Date | null; readonly until: Date | null };
  readonly least?: { readonly column: string; readonly amount: string | null };
  /** Something else is filtered by, too, for which nothing is kept. */
  readonly alsoByOthers?: boolean;
}

/** Whether facets are all that is filtered by: then the statement needs none of the condition's parameters. */
export function isByFacets({ time, least, alsoByOthers }: ListTotalsFilter): boolean {
  return !alsoByOthers && !isByTime(time) && !isByAmount(least);
}

const isByTime = (time: ListTotalsFilter['time']) => Boolean(time?.from ?? time?.until);
const isByAmount = (least: ListTotalsFilter['least']) => (least?.amount ?? null) !== null;

const [FIRST_DAY, LAST_DAY] = ['0001-01-01', '9999-12-31'] as const;

/** SQL of a table like `list_total_delta` that sums up to what the filter selects; what it needs is added to the parameters. */
export function listTotals(filter: ListTotalsFilter, parameters: unknown[]): string {
  const { list, facets, rows, time, least } = filter;
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const rowByRow = (from: string, condition: string): string => {
    if (!rows) throw new Error(`the rows of ${list} are not named`);
    return `select list_total_row.* from ${from}${rows.table}, list_total_row(${rows.name}) where (${rows.where}) and ${condition}`;
  };
  if (filter.alsoByOthers || (isByTime(time) && isByAmount(least))) return rowByRow('', 'true');
  const wanted = `${add(list)}, ${add(facets)}::text[]`;
  if (time && isByTime(time)) {
    const { first, last, edges } = cutByDay(time);
    const since = add(edges.map((edge) => edge.from?.toISOString() ?? '-infinity'));
    const until = add(edges.map((edge) => edge.until?.toISOString() ?? 'infinity'));
    const within = `${time.column} >= edge.since and ${time.column} < edge.until`;
    const edge = `unnest(${since}::timestamptz[], ${until}::timestamptz[]) as edge(since, until), `;
    return `select * from list_totals_of_days(${wanted}, ${add(first)}::date, ${add(last)}::date)
      union all ${rowByRow(edge, within)}`;
  }
  if (least && isByAmount(least)) {
    const amount = `${add(least.amount)}::numeric`;
    const within = `${least.column} >= ${amount} and ${least.column} < next_amount_band(${amount}, 3)`;
    return `select * from list_totals_above(${wanted}, ${amount}) union all ${rowByRow('', within)}`;
  }
  return `select * from list_totals(${wanted})`;
}

interface Stretch {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** The whole UTC days of a stretch of time, and what is left of it at its ends. */
export function cutByDay({ from, until }: Stretch): { first: Day; last: Day; edges: Stretch[] } {
  // The last day has no next one: all from a moment in it on is counted row by row.
  if (from !== null && dayOf(from) === LAST_DAY) {
    return { first: LAST_DAY, last: addDays(LAST_DAY, -1), edges: [{ from, until }] };
  }
  const first = from === null ? FIRST_DAY : isMidnight(from) ? dayOf(from) : addDays(dayOf(from), 1);
  const last = until === null ? LAST_DAY : addDays(dayOf(until), -1);
  const isWithinADay = from !== null && until !== null && first > dayOf(until);
  if (isWithinADay) return { first, last, edges: [{ from, until }] };
  return {
    first,
    last,
    edges: [
      ...(from !== null && !isMidnight(from) ? [{ from, until: startOfDay(first) }] : []),
      ...(until !== null && !isMidnight(until) ? [{ from: startOfDay(dayOf(until)), until }] : []),
    ],
  };
}

function isMidnight(instant: Date): boolean {
  return startOfDay(dayOf(instant)).getTime() === instant.getTime();
}
