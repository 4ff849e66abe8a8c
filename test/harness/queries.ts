import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { currentTrace } from '../../src/observability/tracing/trace.js';

/** Statements of timers that have no context of their own: notifications, leases, service levels. */
const BACKGROUND = /pg_notify|pg_try_advisory|listen |sla_minute \(/;

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Set in the asynchronous context of `work`, whose statements are recorded besides those of requests. */
const working = new AsyncLocalStorage<true>();

const TRIES = 3;

/** All SQL statements of `work` and of the requests that this process serves meanwhile, without those of timers. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SqlStatement[]> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  const seen: SqlStatement[] = [];
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [query, parameters] = args as [string | { text?: string; values?: unknown[] }, unknown];
    const text = typeof query === 'string' ? query : (query.text ?? '');
    const valuesOfQuery = typeof query === 'string' ? [] : (query.values ?? []);
    const values = Array.isArray(parameters) ? parameters : valuesOfQuery;
    const isOfTimer = !working.getStore() && !currentTrace();
    if (!isOfTimer && !BACKGROUND.test(text)) seen.push({ text, values });
    return original.apply(this, args);
  };
  try {
    await working.run(true, work);
  } finally {
    prototype.query = original;
  }
  return seen;
}

/** By client, the number of its statements that have no answer yet. */
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
    const isOfTimer = !working.getStore() && !currentTrace();
    const unansweredBefore = unanswered.get(this) ?? 0;
    const isPipelined = this.pipeline === true && unansweredBefore > 0;
    if (!isOfTimer && !BACKGROUND.test(text) && !isPipelined) trips++;
    unanswered.set(this, unansweredBefore + 1);
    const countAnswer = () => unanswered.set(this, (unanswered.get(this) ?? 1) - 1);
    const answer = original.apply(this, args) as Promise<unknown>;
    answer.then(countAnswer, countAnswer);
    return answer;
  };
  try {
    await working.run(true, work);
  } finally {
    prototype.query = original;
  }
  return trips;
}

/** The smallest count of several runs, for the reasons of `fewestQueriesDuring`. */
export async function fewestRoundTripsDuring(work: () => Promise<unknown>): Promise<number> {
  const tries: number[] = [];
  const isCurrent = jest.spyOn(PgNotifications.prototype, 'isCurrent', 'get').mockReturnValue(true);
  for (let i = 0; i < TRIES; i++) tries.push(await roundTripsDuring(work));
  isCurrent.mockRestore();
  return Math.min(...tries);
}

export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsDuring(work)).map(({ text }) => text);
}

/**
 * The shortest list of several runs: without the session lookup of the first run and statements of timers. Sessions stay
 * cached, because PgNotifications counts as connected.
 */
export async function fewestQueriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const tries: string[][] = [];
  const isCurrent = jest.spyOn(PgNotifications.prototype, 'isCurrent', 'get').mockReturnValue(true);
  for (let i = 0; i < TRIES; i++) tries.push(await queriesDuring(work));
  isCurrent.mockRestore();
  return tries.sort((a, b) => a.length - b.length)[0] as string[];
}
