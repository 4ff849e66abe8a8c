import type { DataSource, EntityManager } from 'typeorm';
import { asOfSql, isByFacets, listTotals, type ListTotalsFilter } from './list-totals.js';
import { prepared } from '../database/prepared.js';

/** Counts rows. `rows` is the SQL after `from`. The cost grows with the number of rows. */
export async function countRows(
  database: Pick<EntityManager, 'query'>,
  rows: string,
  parameters: readonly unknown[] = [],
): Promise<number> {
  const [row] = await database.query<{ total: number }[]>(`select count(*)::int as total from ${rows}`, [
    ...parameters,
  ]);
  return row?.total ?? 0;
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
