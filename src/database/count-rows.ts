import type { DataSource } from 'typeorm';

/** How many rows there are in `rows`, which is SQL: what stands after `from`. */
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
