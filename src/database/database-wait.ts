import { setTimeout as sleep } from 'node:timers/promises';
import type { AppConfig } from '../config/app-config.js';
import { connectionAdvice, isRefusedByPooler } from './connection-advice.js';
import { databaseOptions, MIGRATING } from './data-source.js';

const RETRY_MS = 1000;

/** The message says why the database cannot be used, and what to change. */
export class DatabaseUnavailableError extends Error {}

/**
 * Resolves when a connection with the options of the pool was opened. Reports each new reason for waiting through `log`, and throws a
 * DatabaseUnavailableError after DATABASE_WAIT_SECONDS.
 */
export async function waitForDatabase(config: AppConfig, log: (line: string) => void): Promise<void> {
  const began = performance.now();
  let reported = '';
  for (;;) {
    const failure = await failureOfConnection(config);
    if (failure === undefined) return;
    const advice = connectionAdvice(failure);
    const seconds = Math.floor((performance.now() - began) / 1000);
    if (seconds >= config.DATABASE_WAIT_SECONDS || isRefusedByPooler(failure))
      throw new DatabaseUnavailableError(`no database after ${seconds} seconds: ${advice}`);
    if (advice !== reported) log(`waiting for the database: ${advice}`);
    reported = advice;
    await sleep(RETRY_MS);
  }
}

/** Undefined if the connection succeeds. */
async function failureOfConnection(config: AppConfig): Promise<unknown> {
  const { extra, url } = databaseOptions(config);
  try {
    const client = new extra.Client({ ...extra, connectionString: url, application_name: MIGRATING });
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return error ?? new Error('no connection');
  }
}
