import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';

/** The `pg` client of the query runner. It knows the transaction status that the server reported; TypeORM does not. */
export async function connectionOf(runner: QueryRunner): Promise<Client> {
  return (await runner.connect()) as Client;
}

/** The transaction status of a connection that is in no transaction. */
export const IDLE = 'I';

/**
 * Rolls back an open transaction and returns the connection to the pool. Never throws. A connection that stays in its
 * transaction is closed, because its next user would write into that transaction.
 */
export async function rollBackAndRelease(runner: QueryRunner): Promise<void> {
  try {
    const connection = await connectionOf(runner);
    if (connection.getTransactionStatus() !== IDLE) await connection.query('rollback').catch(() => undefined);
    // The pool drops a closed connection.
    if (connection.getTransactionStatus() !== IDLE) void connection.end().catch(() => undefined);
  } catch {
    // the runner could not connect, so that there is nothing to roll back
  } finally {
    await runner.release();
  }
}
