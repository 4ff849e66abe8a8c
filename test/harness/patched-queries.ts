import pg from 'pg';
import { PreparingClient } from '../../src/database/prepared.js';

export type Send = (...args: unknown[]) => unknown;

/**
 * While `work` runs, each call of `query` on a connection calls `replace` instead, which can call the driver's own method by `send`. A
 * `PreparingClient` sends batches of statements by the `query` of its superclass: `replace` is called for the statements only.
 */
export async function patchingQueries<Result>(
  replace: (client: object, args: unknown[], send: Send) => unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  const prototypes = [pg.Client.prototype, PreparingClient.prototype] as unknown as { query: Send }[];
  const restoreFunctions = prototypes.map((prototype) => {
    const original = prototype.query;
    const isSuperclass = prototype === (pg.Client.prototype as object);
    prototype.query = function (this: object, ...args: unknown[]) {
      const send: Send = (...sent) => original.apply(this, sent);
      const isBatch = isSuperclass && this instanceof PreparingClient;
      return isBatch ? send(...args) : replace(this, args, send);
    };
    return () => (prototype.query = original);
  });
  try {
    return await work();
  } finally {
    for (const restore of restoreFunctions) restore();
  }
}
