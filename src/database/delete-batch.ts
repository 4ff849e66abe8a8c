import type { EntityManager } from 'typeorm';

/** Few enough that the locks of one statement do not delay other statements. */
export const DELETE_BATCH_ROWS = 10_000;

interface RowsToDelete {
  readonly table: string;
  /** The SQL condition of the rows, with `parameters`. */
  readonly condition: string;
  readonly parameters: readonly unknown[];
  /** The column whose smallest values are deleted first. Without it, any rows are. */
  readonly orderBy?: string;
}

/**
 * Deletes at most `DELETE_BATCH_ROWS` of the rows and returns the number of deleted rows. Rows that another transaction has locked
 * are skipped and remain for a later batch.
 */
export async function deleteBatch(
  database: Pick<EntityManager, 'query'>,
  { table, condition, parameters, orderBy }: RowsToDelete,
): Promise<number> {
  const order = orderBy === undefined ? '' : `order by ${orderBy}`;
  const [, deleted] = await database.query<[unknown, number]>(
    `delete from ${table} where ctid in (
       select ctid from ${table} where ${condition} ${order} limit ${DELETE_BATCH_ROWS} for update skip locked)`,
    [...parameters],
  );
  return deleted;
}
