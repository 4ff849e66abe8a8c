import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { testFolder } from './test-folder.js';

/** A PostgreSQL primary with a streaming standby. */
export interface ReplicatedPostgres {
  primary: RunningPostgres;
  standby: RunningPostgres;
  remove(): Promise<void>;
}

/** Starts a primary, calls `prepare` with it, and starts a standby from a copy of its files. */
export async function startReplicatedPostgres(
  prepare: (primary: RunningPostgres) => Promise<void>,
): Promise<ReplicatedPostgres> {
  const primaryDir = testFolder('primary');
  const standbyDir = testFolder('standby');
  const primary = await startPostgres({ dataDir: primaryDir, durable: false });
  await prepare(primary);
  await copyCluster(primary, join(primaryDir, 'cluster'), join(standbyDir, 'cluster'));
  const standby = await startPostgres({ dataDir: standbyDir, durable: false });
  return {
    primary,
    standby,
    remove: async () => {
      await standby.stop();
      await primary.stop();
      for (const folder of [primaryDir, standbyDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a base backup with SQL functions, because the npm package of PostgreSQL has no pg_basebackup. */
async function copyCluster(primary: RunningPostgres, from: string, to: string): Promise<void> {
  const client = new pg.Client(primary.url('postgres'));
  await client.connect();
  await client.query(`select pg_backup_start('standby', true)`);
  cpSync(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.endsWith('postmaster.pid'),
  });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await client.end();
  writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  writeFileSync(join(to, 'standby.signal'), '');
  const { hostname, port, username, password } = new URL(primary.url('postgres'));
  const primaryAddress = `host=${hostname} port=${port} user=${username} password=${password}`;
  appendFileSync(join(to, 'postgresql.auto.conf'), `\nprimary_conninfo = '${primaryAddress}'\n`);
}
