import { rmSync } from 'node:fs';
import pg from 'pg';
import { migrateDatabase } from '../../src/operations/migrate.js';
import { PLATFORM_DATABASE, startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { catalogOf } from '../fixtures/own-schema.js';
import { freshDatabase, type TestDatabase } from '../harness/database.js';
import { testFolder } from '../harness/test-folder.js';

describe('The schema on the PostgreSQL of POSTGRES_FOLDER', () => {
  const dataDir = testFolder('other-postgres');
  let here: TestDatabase;
  let other: RunningPostgres;

  beforeAll(async () => {
    here = await freshDatabase();
    other = await startPostgres({ dataDir, durable: false });
    const databaseUrl = other.url(PLATFORM_DATABASE);
    await migrateDatabase({ databaseUrl, tokenHashKey: undefined }, () => undefined);
  });
  afterAll(async () => {
    await other?.stop();
    await here?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function readCatalog(url: string): Promise<{ version: number; catalog: string[] }> {
    const client = new pg.Client(url);
    await client.connect();
    try {
      const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
      const catalog = await catalogOf(async (sql) => (await client.query(sql)).rows, 'public');
      return { version: Math.trunc(Number(rows[0]?.server_version_num) / 10_000), catalog };
    } finally {
      await client.end();
    }
  }

  it('has the columns, constraints, indexes, triggers, functions, views and comments that it has on the version of the project', async () => {
    // The tests' own server is that of POSTGRES_FOLDER; `startPostgres` starts the newer version of the project.
    const older = await readCatalog(here.url);
    const newer = await readCatalog(other.url(PLATFORM_DATABASE));
    expect(older.version).toBeLessThan(newer.version);
    expect(older.catalog.length).toBeGreaterThan(1000);
    expect(older.catalog).toEqual(newer.catalog);
  });
});
