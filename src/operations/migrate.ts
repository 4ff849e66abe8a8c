import { DataSource } from 'typeorm';
import { migrate, migrationsFromFiles } from '../database/migrations.js';

const CONNECT_MS = 10_000;

/** Runs the pending migrations without starting the API. */
export async function migrateDatabase(databaseUrl: string, say: (line: string) => void): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    applicationName: 'stablecoin-platform migrate',
    poolSize: 1,
    migrations: migrationsFromFiles(),
    extra: { connectionTimeoutMillis: CONNECT_MS, keepAlive: true },
  });
  await dataSource.initialize();
  try {
    const executedCount = await migrate(dataSource, say);
    if (executedCount === 0) say('database: nothing to migrate');
  } finally {
    await dataSource.destroy();
  }
}
