import type { DataSource } from 'typeorm';
import { isByFacets, listTotals, type ListTotalsFilter } from './list-totals.js';

/** How many rows there are in `rows`, which is SQL: what stands after `from`. Its cost follows their number. */
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

/** How many rows a list has, out of what is kept. The parameters are those of the filter's condition. */
export async function countFromTotals(
  dataSource: DataSource,
  filter: ListTotalsFilter,
  chosen: readonly unknown[] = [],
): Promise<number> {
  const parameters = isByFacets(filter) ? [] : [...chosen];
  const [row] = await dataSource.query<{ total: number }[]>(
    `select coalesce(sum(rows), 0)::int as total from (${listTotals(filter, parameters)}) as kept`,
    parameters,
  );
  return row?.total ?? 0;
}
