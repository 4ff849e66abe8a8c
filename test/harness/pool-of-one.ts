import type { DataSource, EntitySchema } from 'typeorm';
import { openDatabase } from '../../src/database/data-source.js';
import { SequentialClient } from '../../src/database/pooled-client.js';
import { PREPARING, PreparingClient } from '../../src/database/prepared.js';

/** The connection classes of the service. Behind a transaction pooler each statement waits for the previous answer. */
export const CONNECTION_CLASSES = [
  ['on a direct connection', PreparingClient],
  ['behind a pooler', SequentialClient],
] as const;

export type ConnectionClass = (typeof CONNECTION_CLASSES)[number][1];

/** Connects with a pool of one connection, so that a transaction that was left open affects the next statement. */
export function connectWithPoolOfOne(
  url: string,
  Client: ConnectionClass = PreparingClient,
  entities: EntitySchema[] = [],
): Promise<DataSource> {
  const extra = Client === PreparingClient ? PREPARING : { Client };
  return openDatabase({ type: 'postgres', url, poolSize: 1, extra, entities }, () => undefined, {
    migrate: false,
  });
}
