import type { DataSource, EntityManager } from 'typeorm';
import { asOfSql, isByFacets, listTotals, type ListTotalsFilter } from './list-totals.js';
import { prepared, preparedIfFew } from '../database/prepared.js';

/** Counts rows. `rows` is the SQL after `from`. The cost grows with the number of rows. `isPrepared`: see `ListSource`. */
export async function countRows(
  database: Pick<EntityManager, 'query'>,
  rows: string,
  parameters: readonly unknown[] = [],
  isPrepared = false,
): Promise<number> {
  const sql = `select count(*)::int as total from ${rows}`;
  const [row] = await database.query<[{ total: number }]>(isPrepared ? preparedIfFew(sql) : sql, [
    ...parameters,
  ]);
  return row.total;
}

const MAX_COUNTED = 100_000; // bounds the cost of a count

/** SQL: the number of rows, at most `MAX_COUNTED`, for figures of monitoring. `rows` is the SQL after `from`. */
export function boundedCount(rows: string): string {
  return `(select count(*)::int from (select from ${rows} limit ${MAX_COUNTED}) as counted)`;
}

/** SQL: the seconds from an instant to `now`; 0 without an instant, and for a later one. The arguments are SQL, too. */
export function secondsSince(instant: string, now: string): string {
  return `coalesce(greatest(extract(epoch from ${now} - (${instant})), 0), 0)::float8`;
}

/** A number of rows, and the time up to which it includes every change. */
export interface Counted {
  readonly total: number;
  readonly asOf: Date;
}

/** Counts the rows of a list through its sums. `conditionParameters` belong to the condition `filter.rows.where`. */
export async function countFromTotals(
  dataSource: DataSource,
  filter: ListTotalsFilter,
  conditionParameters: readonly unknown[] = [],
): Promise<Counted> {
  const parameters = isByFacets(filter) ? [] : [...conditionParameters];
  const sql = `select coalesce(sum(rows), 0)::int as total, ${asOfSql(filter.list)} as "asOf"
    from (${listTotals(filter, parameters)}) as totals`;
  const [counted] = await dataSource.query<[Counted]>(isByFacets(filter) ? prepared(sql) : sql, parameters);
  return counted;
}
