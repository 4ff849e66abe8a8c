import type { EntityManager } from 'typeorm';
import type { CollectedWrite } from './collected-rows.js';
import { prepared } from './prepared.js';
import type { OpenTransaction } from './open-transaction.js';
import type { Tx } from './unit-of-work.js';

// The calls of several modules that go to the database together. Each module owns the SQL functions for its tables; the
// functions `read_together` and `write_together` of the database call those that are named.

/** A lock or a read that a transaction needs before it decides. Changes no row. */
export interface TransactionRead<Result> {
  /** A branch of the SQL function `read_together`. */
  readonly name: string;
  readonly parameters: readonly (string | readonly string[] | null)[];
  /** From JSON, in which numeric values are text. May throw to refuse the request. */
  readonly toResult: (answer: never) => Result;
}

export type ResultsOf<Reads extends readonly TransactionRead<unknown>[]> = {
  [Index in keyof Reads]: Reads[Index] extends TransactionRead<infer Result> ? Result : never;
};

export const READ_TOGETHER = prepared('select read_together($1) as answers');
export const WRITE_TOGETHER = prepared('select write_together($1)');

const openTransactions = new WeakMap<EntityManager, OpenTransaction>();

export function registerTransaction(manager: EntityManager, transaction: OpenTransaction): void {
  openTransactions.set(manager, transaction);
}

/** The transaction of a unit of work; undefined for a manager that no unit of work has created. */
export function openTransactionOf(manager: EntityManager): OpenTransaction | undefined {
  return openTransactions.get(manager);
}

/**
 * Executes the reads one after the other in one round trip; each sees what was committed before it. The first call of a
 * transaction goes out together with BEGIN.
 */
export async function readTogether<const Reads extends readonly TransactionRead<unknown>[]>(
  tx: Tx,
  ...reads: Reads
): Promise<ResultsOf<Reads>> {
  const transaction = openTransactionOf(tx);
  if (transaction) return (await transaction.readTogether(reads)) as ResultsOf<Reads>;
  const [{ answers }] = await tx.query<[{ answers: never[] }]>(READ_TOGETHER, [toParameter(reads)]);
  return toResults(reads, answers) as ResultsOf<Reads>;
}

/**
 * Collects a row. The transaction sends its collected rows before its next statement, or else together with its COMMIT; a
 * violated constraint fails there. A savepoint that is rolled back drops its rows.
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
  const transaction = openTransactionOf(tx);
  if (!transaction) await tx.query(WRITE_TOGETHER, [JSON.stringify({ [write.name]: write.toRows(items) })]);
  else for (const item of items) transaction.rows.collect(write, item);
}

/** The parameter of `read_together`: for each read its name, followed by its parameters. */
export function toParameter(reads: readonly TransactionRead<unknown>[]): string {
  return JSON.stringify(reads.map(({ name, parameters }) => [name, ...parameters]));
}

export function toResults(reads: readonly TransactionRead<unknown>[], answers: readonly never[]): unknown[] {
  return reads.map(({ toResult }, index) => toResult(answers[index] as never));
}
