import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { SessionClient } from '../database/session-settings.js';

const CONNECT_MS = 10_000;

/** Options of a `DataSource` with one connection. */
export const connectionTo = (url: string, applicationName: string) =>
  ({
    type: 'postgres',
    url,
    applicationName,
    poolSize: 1,
    extra: { connectionTimeoutMillis: CONNECT_MS, keepAlive: true, Client: SessionClient },
  }) as const;

/** The longest wait for a table that another session, such as a migration, has locked; then the command fails. */
const LOCK_MS = 10_000;
/** The longest wait for a rollback before the connection is closed. */
const ROLLBACK_MS = 5_000;

/**
 * Runs `work` in one transaction on a separate connection, with the time-outs of requests switched off even if the role or
 * the database sets them. The transaction is rolled back if the work fails.
 */
export async function inOneTransaction<Result>(
  databaseUrl: string,
  command: 'backup' | 'restore',
  transactionMode: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new SessionClient({
    connectionString: databaseUrl,
    application_name: `stablecoin-platform ${command}`,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined); // the running query fails with the same error
  await client.connect();
  try {
    await client.query(`begin ${transactionMode}`);
    await client.query('set local statement_timeout = 0');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query(`set local lock_timeout = ${LOCK_MS}`);
    const result = await work(client);
    await client.query('commit').catch((error: Error) => {
      throw new Error(
        `${error.message} during the commit: check in the database whether the ${command} has taken effect`,
      );
    });
    return result;
  } catch (error) {
    // A COPY whose rows are no longer read does not end, and the rollback waits behind it. In this case the server rolls back when the
    // connection is closed.
    const rollback = client.query('rollback').catch(() => undefined); // the connection itself may have failed
    await Promise.race([rollback, sleep(ROLLBACK_MS, undefined, { ref: false })]);
    throw error;
  } finally {
    await client.end();
  }
}
