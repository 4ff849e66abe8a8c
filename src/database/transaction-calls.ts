import { type CollectedWrite, WRITE_TOGETHER } from './collected-rows.js';
import {
  READ_TOGETHER,
  toParameter,
  toResults,
  type ResultsOf,
  type TransactionRead,
} from './transaction-read.js';
import { statementsOf } from './transaction-statements.js';
import type { Tx } from './tx.js';

export type { ResultsOf, TransactionRead };

// These functions send reads and rows of several modules to the database together. Each module owns the SQL functions for
// its tables; `read_together` and `write_together` call them by the names of the reads and writes.

/**
 * Executes the reads one after the other in one round trip; each sees what was committed before it. The first call of a
 * transaction goes out together with BEGIN.
 */
export async function readTogether<const Reads extends readonly TransactionRead<unknown>[]>(
  tx: Tx,
  ...reads: Reads
): Promise<ResultsOf<Reads>> {
  const statements = statementsOf(tx);
  if (statements) return (await statements.readTogether(reads)) as ResultsOf<Reads>;
  const [{ answers }] = await tx.query<[{ answers: never[] }]>(READ_TOGETHER, [toParameter(reads)]);
  return toResults(reads, answers) as ResultsOf<Reads>;
}

/**
 * Collects a row. The transaction sends its collected rows before its next statement, or else together with its COMMIT. If they
 * violate a constraint, that statement or the commit fails. A savepoint that is rolled back drops its rows.
 */
export async function collectRow<Item>(tx: Tx, write: CollectedWrite<Item>, item: Item): Promise<void> {
  await collectRows(tx, write, [item]);
}

/** As `collectRow`, for several rows. */
export async function collectRows<Item>(
  tx: Tx,
  write: CollectedWrite<Item>,
  items: readonly Item[],
): Promise<void> {
  const statements = statementsOf(tx);
  if (statements) statements.collect(write, items);
  else await tx.query(WRITE_TOGETHER, [JSON.stringify({ [write.name]: write.toRows(items) })]);
}
