import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';

/** The driver's connection below a query runner: it knows how the server stands, whatever TypeORM believes. */
export async function connectionOf(runner: QueryRunner): Promise<Client> {
  return (await runner.connect()) as Client;
}

/**
 * Ends what is open and gives the connection back. Never fails: one that does not come out of its transaction is not
 * used again, for the next to have it would write into that.
 */
export async function giveBack(runner: QueryRunner): Promise<void> {
  try {
    const connection = await connectionOf(runner);
    if (connection.getTransactionStatus() !== 'I') await connection.query('rollback').catch(() => undefined);
    if (connection.getTransactionStatus() !== 'I') void connection.end().catch(() => undefined); // the pool forgets it
  } catch {
    // there was none
  } finally {
    await runner.release();
  }
}
