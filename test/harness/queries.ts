import { AsyncLocalStorage } from 'node:async_hooks';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { currentTrace } from '../../src/observability/tracing/trace.js';
import { patchingQueries } from './patched-queries.js';

/** Statements of timers that are left out even if `work` or a request has started the timer: notifications, service levels. */
const BACKGROUND = /pg_notify|listen |sla_minute \(/;

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Query {
  readonly client: object;
  readonly statement: SqlStatement;
  /** False for statements of timers. */
  readonly isOfWork: boolean;
  readonly send: () => Promise<unknown>;
}

/** True in the asynchronous context of `work`, whose statements are recorded besides those of requests. */
const working = new AsyncLocalStorage<true>();

/** Calls `run`, whose statements are not recorded. */
export function withoutRecording<Result>(run: () => Promise<Result>): Promise<Result> {
  return working.exit(run);
}

const RUNS = 3;

/** Calls `intercept`, which must send the query, for each query of this process during `work`. */
async function interceptQueries(
  work: () => Promise<unknown>,
  intercept: (query: Query) => Promise<unknown>,
): Promise<void> {
  await patchingQueries(
    (client, args, original) => {
      const [query, parameters] = args as [string | { text?: string; values?: unknown[] }, unknown];
      const text = typeof query === 'string' ? query : (query.text ?? '');
      const valuesOfQuery = typeof query === 'string' ? [] : (query.values ?? []);
      const values = Array.isArray(parameters) ? parameters : valuesOfQuery;
      const isOfTimer = !working.getStore() && !currentTrace();
      const isOfWork = !isOfTimer && !BACKGROUND.test(text);
      const callback: unknown = args.at(-1);
      const hasCallback = typeof callback === 'function';
      const withCallback = () =>
        new Promise((resolve, reject) => {
          const settle = (error: Error | undefined, result: unknown) =>
            error ? reject(error) : resolve(result);
          original(...args.slice(0, -1), settle);
        });
      const send = hasCallback ? withCallback : () => original(...args) as Promise<unknown>;
      const answer = intercept({ client, statement: { text, values }, isOfWork, send });
      if (!hasCallback) return answer;
      return void answer.then(
        (result) => void callback(undefined, result),
        (error: unknown) => void callback(error),
      );
    },
    () => working.run(true, work),
  );
}

/** All SQL statements of `work` and of the requests that this process serves meanwhile, without those of timers. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SqlStatement[]> {
  const seen: SqlStatement[] = [];
  await interceptQueries(work, ({ statement, isOfWork, send }) => {
    if (isOfWork) seen.push(statement);
    return send();
  });
  return seen;
}

/** The statements that were sent to a connection while it had unanswered ones. */
class RoundTrip {
  private unanswered = 0;
  private end!: () => void;
  private readonly ended = new Promise<void>((resolve) => (this.end = resolve));

  get isOver(): boolean {
    return this.unanswered === 0;
  }

  /**
   * Delivers no answer before the last one. Otherwise a statement that was sent after the answer to BEGIN would belong to the
   * trip of BEGIN if a statement that was sent with BEGIN had no answer yet.
   */
  send(query: Query): Promise<unknown> {
    this.unanswered++;
    return query.send().finally(() => {
      this.unanswered--;
      if (this.isOver) this.end();
      return this.ended;
    });
  }
}

/**
 * Counts how often `work`, or a request that this process serves meanwhile, waits for PostgreSQL before it sends something:
 * statements that are sent to a connection before the answers of earlier ones belong to the same round trip.
 */
export async function roundTripsDuring(work: () => Promise<unknown>): Promise<number> {
  const lastTrips = new WeakMap<object, RoundTrip>();
  const counted = new Set<RoundTrip>();
  await interceptQueries(work, (query) => {
    let trip = lastTrips.get(query.client);
    if (!trip || trip.isOver) {
      trip = new RoundTrip();
      lastTrips.set(query.client, trip);
    }
    if (query.isOfWork) counted.add(trip);
    return trip.send(query);
  });
  return counted.size;
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
