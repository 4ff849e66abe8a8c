import { transactionOf } from './open-transaction.js';
import { prepared } from './prepared.js';
import type { Tx } from './tx.js';

// The statements of a transaction are sent at once, in the order of the calls, and answered in this order. They are prepared: each
// text is parsed once per connection, so it must not contain values.

/** Sends a lock or a read, which changes no row; the first ones of a transaction go out together with BEGIN. */
export async function read<Row extends object>(
  tx: Tx,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await transactionOf(tx).read(prepared(text), values);
  return rows as Row[];
}

/**
 * Sends a statement whose answer the caller does not need: an insertion, or the update of a row that the transaction has locked.
 * If it fails, the next statement or the commit throws its error.
 */
export function write(tx: Tx, text: string, values: readonly unknown[] = []): void {
  transactionOf(tx).write(prepared(text), values);
}

const LOCK_NAME = prepared('select pg_advisory_xact_lock(hashtextextended($1, 0))');

/** Waits until no other transaction holds the lock of this name, and holds it until the transaction ends. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await tx.query(LOCK_NAME, [name]);
}

/** Calls `insertAll` immediately before COMMIT, once with all items of the transaction. */
export function beforeCommit<Item>(tx: Tx, insertAll: (tx: Tx, items: Item[]) => void, item: Item): void {
  transactionOf(tx).defer(insertAll, item);
}

/** Calls `callback` after the transaction has been committed, for example to count in metrics. */
export function afterCommit(tx: Tx, callback: () => void): void {
  transactionOf(tx).callbacksAfterCommit.push(callback);
}

/** Waits for all answers, and throws the error of the first statement that failed: the later ones fail because of it. */
export async function all<const Answers extends readonly unknown[]>(
  ...answers: Answers
): Promise<{ -readonly [Index in keyof Answers]: Awaited<Answers[Index]> }> {
  const settled = await Promise.allSettled(answers);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return settled.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as never;
}
