import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { RunningPostgres } from '../../src/sandbox/postgres.js';

/** Files of the running server, which a copy must not have. */
const OMITTED_FILES = new Set(['postmaster.pid', 'postmaster.opts', 'pg_internal.init']);

/** Folders that are empty in a copy. It gets the contents of `pg_wal`, the log, from the server or an archive. */
const EMPTIED_FOLDERS = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
  'pg_stat_tmp',
]);

/**
 * Makes a base backup, a copy of the cluster's folder, with SQL functions: the npm package of PostgreSQL has no pg_basebackup.
 * `server` is the running server whose folder is `from`; it may be under load.
 */
export async function copyCluster(server: RunningPostgres, from: string, to: string): Promise<void> {
  const client = new pg.Client(server.url('postgres'));
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    await rm(to, { recursive: true, force: true });
    await copyFolder(from, to);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/** Ignores files that the server deletes meanwhile: the copy repeats their deletion when it replays the log. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (!entry.isDirectory()) {
      if (!OMITTED_FILES.has(entry.name)) await copyFile(source, target).catch(ignoreMissing);
    } else if (EMPTIED_FOLDERS.has(entry.name)) await mkdir(target, { mode: 0o700 });
    else await copyFolder(source, target).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The value of `primary_conninfo` with which a standby follows the server at an address. */
export function connectionInfo(address: string): string {
  const { hostname, port, username, password } = new URL(address);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}
