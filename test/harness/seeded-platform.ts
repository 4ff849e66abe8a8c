import pg from 'pg';
import { seed } from '../../bench/seed/seed.mjs';
import { readSeededIds, type SeededIds } from '../../bench/support/list-calls.mjs';
import type { TestUser } from '../fixtures/given.js';
import { freshDatabase } from './database.js';
import { startPlatform, type TestPlatform } from './platform.js';

export interface SeededPlatform {
  readonly platform: TestPlatform;
  /** Ids and the present time, from which `listCalls` takes path parameters and values of filters. */
  readonly seededIds: SeededIds;
  /** A user with long lists. */
  readonly busyUser: TestUser;
  stop(): Promise<void>;
}

/** Starts the service on a database with one year of data (bench/seed): about `rows` transactions of `users` users. */
export async function startSeededPlatform(size: { rows: number; users: number }): Promise<SeededPlatform> {
  const seeded = await freshDatabase('template0');
  await seed(seeded.url, size);
  const template = new URL(seeded.url).pathname.slice(1);
  const platform = await startPlatform({
    template,
    at: new Date().toISOString(), // the data ends yesterday
    settings: { DEPOSIT_POLL_SECONDS: '3600' }, // no poll during the tests
  });
  const client = new pg.Client(platform.env.DATABASE_URL);
  await client.connect();
  const seededIds = await readSeededIds(client);
  await client.end();
  return {
    platform,
    seededIds,
    busyUser: await platform.given.user('busy@example.org'),
    stop: async () => {
      await platform.stop();
      await seeded.drop();
    },
  };
}
