import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { currentTrace } from '../../src/observability/tracing/trace.js';

const BACKGROUND = /pg_notify|pg_try_advisory|listen |sla_minute \(/;

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const working = new AsyncLocalStorage<true>();

/** All SQL statements of `work` and of the requests that this process serves meanwhile, without those of timers. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SqlStatement[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const seen: SqlStatement[] = [];
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [query, given] = args as [string | { text?: string; values?: unknown[] }, unknown];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    const values = Array.isArray(given) ? given : typeof query === 'string' ? [] : (query.values ?? []);
    const isTimers = !working.getStore() && !currentTrace();
    if (!isTimers && !BACKGROUND.test(text)) seen.push({ text, values });
    return original.apply(this, args);
  };
  try {
    await working.run(true, work);
  } finally {
    prototype.query = original;
  }
  return seen;
}

/** The client and the number of its statements that have no answer yet. */
const unanswered = new WeakMap<object, number>();

/**
 * Counts how often `work`, or a request that this process serves meanwhile, waits for PostgreSQL before it sends something:
 * statements that are sent to a connection before the answers of earlier ones belong to the same round trip.
 */
export async function roundTripsDuring(work: () => Promise<unknown>): Promise<number> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  let trips = 0;
  prototype.query = function (this: object & { pipeline?: boolean }, ...args: unknown[]) {
    const [query] = args as [string | { text?: string }];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    const isTimers = !working.getStore() && !currentTrace();
    const waiting = unanswered.get(this) ?? 0;
    const isSentAlong = this.pipeline === true && waiting > 0;
    if (!isTimers && !BACKGROUND.test(text) && !isSentAlong) trips++;
    unanswered.set(this, waiting + 1);
    const answered = () => unanswered.set(this, (unanswered.get(this) ?? 1) - 1);
    const answer = original.apply(this, args) as Promise<unknown>;
    answer.then(answered, answered);
    return answer;
  };
  try {
    await working.run(true, work);
  } finally {
    prototype.query = original;
  }
  return trips;
}

/** The smallest count of several runs, as `fewestQueriesDuring`. */
export async function fewestRoundTripsDuring(work: () => Promise<unknown>): Promise<number> {
  const tries: number[] = [];
  const current = jest.spyOn(PgNotifications.prototype, 'isCurrent', 'get').mockReturnValue(true);
  for (let i = 0; i < TRIES; i++) tries.push(await roundTripsDuring(work));
  current.mockRestore();
  return Math.min(...tries);
}

export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsDuring(work)).map(({ text }) => text);
}

const TRIES = 3;

/**
 * The shortest list of several runs: without the session lookup of the first run and statements of timers. Sessions stay
 * cached, because PgNotifications counts as connected.
 */
export async function fewestQueriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const tries: string[][] = [];
  const current = jest.spyOn(PgNotifications.prototype, 'isCurrent', 'get').mockReturnValue(true);
  for (let i = 0; i < TRIES; i++) tries.push(await queriesDuring(work));
  current.mockRestore();
  return tries.sort((a, b) => a.length - b.length)[0] as string[];
}
