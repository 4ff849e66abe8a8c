// A temporary PostgreSQL server with durable commits, as in production.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../dist/database/data-source.js';
import { migrationsFromFiles } from '../../dist/database/migrations.js';
import { startPostgres } from '../../dist/sandbox/postgres.js';

export async function startDurable() {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-bench-durable-'));
  const postgres = await startPostgres({ dataDir, durable: true });

  /** Creates a database, empty or as a copy, and returns its URL. */
  async function database(name, template = 'template1') {
    const client = new pg.Client(postgres.url('postgres'));
    await client.connect();
    await client.query(`create database ${name} template ${template}`);
    await client.end();
    return postgres.url(name);
  }

  return {
    url: postgres.url('postgres'),
    /** The server's folder, also for other files of a measure; `stop` removes it. */
    folder: dataDir,
    database,
    urlOf: (name) => postgres.url(name),
    /** Creates a migrated database and returns its URL. */
    async migrated(name) {
      const url = await database(name);
      const migrations = migrationsFromFiles();
      const dataSource = await openDatabase({ type: 'postgres', url, migrations }, () => undefined);
      await dataSource.destroy();
      return url;
    },
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A pool that ignores that the server closes its idle connections. */
export function poolOn(url, max, options = '') {
  const pool = new pg.Pool({ connectionString: url, max, options });
  pool.on('error', () => undefined);
  return pool;
}
