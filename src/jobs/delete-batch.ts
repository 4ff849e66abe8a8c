import type { EntityManager } from 'typeorm';

/** Few enough that one statement holds its locks for a short time only. */
export const DELETE_BATCH_ROWS = 10_000;

interface RowsToDelete {
  readonly table: string;
  /** The SQL condition of the rows. `parameters` are the values of its placeholders. */
  readonly condition: string;
  readonly parameters: readonly unknown[];
  /** The column whose smallest values are deleted first. Without it the order is undefined. */
  readonly orderBy?: string;
}

/**
 * Deletes at most `DELETE_BATCH_ROWS` of the rows and returns the number of deleted rows. Rows that another transaction has
 * locked are skipped and remain for a later batch.
 */
export async function deleteBatch(
  database: Pick<EntityManager, 'query'>,
  { table, condition, parameters, orderBy }: RowsToDelete,
): Promise<number> {
  const order = orderBy === undefined ? '' : `order by ${orderBy}`;
  const [, deleted] = await database.query<[unknown, number]>(
    // As an array, because PostgreSQL could evaluate `in (select …)` several times, each time for other rows.
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${condition} ${order} limit ${DELETE_BATCH_ROWS} for update skip locked))`,
    [...parameters],
  );
  return deleted;
}

/** Deletes the rows of a table whose `expires_at` is `until` or earlier in batches, until none is left or `stopping` is aborted. */
export async function deleteExpiredRows(
  database: Pick<EntityManager, 'query'>,
  table: string,
  until: Date,
  stopping: AbortSignal,
): Promise<void> {
  const expired = { table, condition: 'expires_at <= $1', parameters: [until], orderBy: 'expires_at' };
  while ((await deleteBatch(database, expired)) === DELETE_BATCH_ROWS && !stopping.aborted);
}
