import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { currentTrace } from '../../src/observability/tracing/trace.js';

/** Statements of timers that are left out even if `work` or a request has started the timer: notifications, service levels. */
const BACKGROUND = /pg_notify|listen |sla_minute \(/;

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** True in the asynchronous context of `work`, whose statements are recorded besides those of requests. */
const working = new AsyncLocalStorage<true>();

const RUNS = 3;

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

/** Repeats `measure` while `PgNotifications.isCurrent` is true, so that sessions stay cached after the first run. */
async function measureRepeatedly<Result>(measure: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const isCurrent = jest.spyOn(PgNotifications.prototype, 'isCurrent', 'get').mockReturnValue(true);
  try {
    for (let run = 0; run < RUNS; run++) results.push(await measure());
  } finally {
    isCurrent.mockRestore();
  }
  return results;
}

/** The smallest count of several runs, for the reasons of `fewestQueriesDuring`. */
export async function fewestRoundTripsDuring(work: () => Promise<unknown>): Promise<number> {
  return Math.min(...(await measureRepeatedly(() => roundTripsDuring(work))));
}

/** The texts of `statementsDuring`. */
export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsDuring(work)).map(({ text }) => text);
}

/** The shortest list of several runs: without the lookup of the session in the first run, and without statements of timers. */
export async function fewestQueriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const lists = await measureRepeatedly(() => queriesDuring(work));
  return lists.sort((a, b) => a.length - b.length)[0] as string[];
}
