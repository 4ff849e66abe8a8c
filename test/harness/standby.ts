import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type RunningPostgres } from '../../src/sandbox/postgres.js';
import { connectionInfo, copyCluster } from './base-backup.js';
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
  const cluster = join(standbyDir, 'cluster');
  await copyCluster(primary, join(primaryDir, 'cluster'), cluster);
  follow(cluster, primary.url('postgres'));
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

/** Makes a copied cluster a standby of the server at `address` when it is started. */
export function follow(cluster: string, address: string): void {
  writeFileSync(join(cluster, 'standby.signal'), '');
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `\nprimary_conninfo = '${connectionInfo(address)}'\n`,
  );
}
