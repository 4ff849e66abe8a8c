import pg from 'pg';
import type { TestPlatform } from './platform.js';

/** Statements past all guards of the database: as whoever has got hold of its superuser could write. */
export async function corrupt(platform: TestPlatform, ...statements: string[]): Promise<void> {
  const client = new pg.Client(platform.env.DATABASE_URL as string);
  await client.connect();
  try {
    await client.query('set session_replication_role = replica'); // no triggers
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
