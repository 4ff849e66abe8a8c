// A throw-away PostgreSQL with the settings of production: what is committed is on disk.
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

  /** Its address. */
  async function database(name) {
    const client = new pg.Client(postgres.url('postgres'));
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return postgres.url(name);
  }

  return {
    url: postgres.url('postgres'),
    /** For files of the measure; gone with the server. */
    folder: dataDir,
    database,
    /** The address of one that has our schema. */
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

/** Connections that do not mind when the server is gone at the end. */
export function poolOn(url, max, options = '') {
  const pool = new pg.Pool({ connectionString: url, max, options });
  pool.on('error', () => undefined);
  return pool;
}
