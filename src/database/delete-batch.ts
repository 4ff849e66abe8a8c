import type { Tx } from './tx.js';

/** Small enough not to delay other statements. */
const BATCH_ROWS = 10_000;

/** Deletes rows of a table that match, at most 10,000, and returns their number. Skips rows that are locked. */
export async function deleteBatch(
  tx: Tx,
  table: string,
  condition: string,
  parameters: readonly unknown[],
): Promise<number> {
  const [row] = await tx.query<{ count: number }[]>(
    `with deleted as (
       delete from ${table} where ctid in (
         select ctid from ${table} where ${condition} limit ${BATCH_ROWS} for update skip locked)
       returning 1)
     select count(*)::int as count from deleted`,
    [...parameters],
  );
  return row?.count ?? 0;
}
