import pg from 'pg';
import { PreparingClient } from '../../src/database/prepared.js';

export type Send = (...args: unknown[]) => unknown;

/**
 * Calls `replace` for each call of `query` of a connection while `work` runs. The client is `this` of `send`, the method of the
 * driver. A connection that sends statements in batches is called once for each statement, and not for its batches.
 */
export async function patchingQueries<Result>(
  replace: (client: object, args: unknown[], send: Send) => unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const prototypes = [pg.Client.prototype, PreparingClient.prototype] as unknown as { query: Send }[];
  const originals = prototypes.map(({ query }) => query);
  prototypes.forEach((prototype, place) => {
    const original = originals[place] as Send;
    prototype.query = function (this: object, ...args: unknown[]) {
      const send: Send = (...sent) => original.apply(this, sent);
      const isOfBatches = place === 0 && this instanceof PreparingClient;
      return isOfBatches ? send(...args) : replace(this, args, send);
    };
  });
  try {
    return await work();
  } finally {
    prototypes.forEach((prototype, place) => (prototype.query = originals[place] as Send));
  }
}
