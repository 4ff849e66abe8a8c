import type { DataSource } from 'typeorm';
import { isByFacets, listTotals, type ListTotalsFilter } from './list-totals.js';
import { prepared } from '../database/prepared.js';

/** Counts rows. `rows` is the SQL after `from`. The cost grows with the number of rows. */
export async function countRows(
  dataSource: DataSource,
  rows: string,
  parameters: readonly unknown[] = [],
): Promise<number> {
  const [row] = await dataSource.query<{ total: number }[]>(`select count(*)::int as total from ${rows}`, [
    ...parameters,
  ]);
  return row?.total ?? 0;
}

/** Counts the rows of a list through its totals. `conditionParameters` belong to the condition `filter.rows.where`. */
export async function countFromTotals(
  dataSource: DataSource,
  filter: ListTotalsFilter,
  conditionParameters: readonly unknown[] = [],
): Promise<number> {
  const parameters = isByFacets(filter) ? [] : [...conditionParameters];
  const sql = `select coalesce(sum(rows), 0)::int as total from (${listTotals(filter, parameters)}) as totals`;
  const [row] = await dataSource.query<{ total: number }[]>(
    isByFacets(filter) ? prepared(sql) : sql,
    parameters,
  );
  return row?.total ?? 0;
}
