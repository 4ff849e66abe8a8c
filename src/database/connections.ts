import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';

/** The driver's connection of a query runner. It reports the server's transaction status, which TypeORM does not. */
export async function connectionOf(runner: QueryRunner): Promise<Client> {
  return (await runner.connect()) as Client;
}

/**
 * Rolls back an open transaction and returns the connection to the pool. Never throws. A connection that stays in its
 * transaction is closed, because its next user would write into that transaction.
 */
export async function giveBack(runner: QueryRunner): Promise<void> {
  try {
    const connection = await connectionOf(runner);
    if (connection.getTransactionStatus() !== 'I') await connection.query('rollback').catch(() => undefined);
    if (connection.getTransactionStatus() !== 'I') void connection.end().catch(() => undefined); // the pool drops a closed connection
  } catch {
    // the runner had no connection
  } finally {
    await runner.release();
  }
}
