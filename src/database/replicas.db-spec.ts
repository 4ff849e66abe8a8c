import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { eventually } from '../../test/harness/eventually.js';
import { startReplicatedPostgres, type ReplicatedPostgres } from '../../test/harness/standby.js';
import { AppConfig } from '../config/app-config.js';
import { PLATFORM_DATABASE } from '../sandbox/postgres.js';
import { openDatabase } from './data-source.js';
import { migrationsFromFiles } from './migrations.js';
import { Replicas } from './replicas.js';
import { Snapshots } from './snapshots.js';

describe('Reports with a read replica', () => {
  let pair: ReplicatedPostgres;
  let primary: DataSource;
  let replicas: Replicas;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(); // every fallback to the primary is logged
    pair = await startReplicatedPostgres(async (server) => {
      const options = {
        type: 'postgres',
        url: server.url(PLATFORM_DATABASE),
        migrations: migrationsFromFiles(),
      } as const;
      primary = await openDatabase(options, () => undefined);
    });
    replicas = replicasAt([pair.standby.url(PLATFORM_DATABASE)]);
    replicas.onModuleInit();
  });
  afterAll(async () => {
    await replicas.onModuleDestroy();
    await primary.destroy();
    await pair.remove();
    jest.restoreAllMocks();
  });

  function replicasAt(urls: string[], lagSeconds = 1): Replicas {
    const config = {
      DATABASE_REPLICA_URLS: urls,
      DATABASE_REPLICA_LAG_SECONDS: lagSeconds,
      DATABASE_POOLER: 'none',
      DATABASE_POOL_WAIT_MS: 10_000,
      DATABASE_STATEMENT_MS: 10_000,
      DATABASE_LOCK_MS: 750,
    } as unknown as AppConfig;
    return new Replicas(config, primary, new Snapshots(primary));
  }

  const isOnReplica = (from = replicas) =>
    from.read(async (snapshot) => {
      const [row] = await snapshot.query<{ standby: boolean }>('select pg_is_in_recovery() as standby', []);
      return row?.standby;
    });

  const untilOnReplica = (expected: boolean) =>
    eventually(async () => expect(await isOnReplica()).toBe(expected));

  const onStandby = async (sql: string) => {
    const standby = new DataSource({ type: 'postgres', url: pair.standby.url(PLATFORM_DATABASE) });
    await standby.initialize();
    await standby.query(sql);
    await standby.destroy();
  };

  it('are read on the replica, including earlier commits', async () => {
    await untilOnReplica(true);
    await primary.query(
      `insert into wallet_nonce (nonce, address, expires_at, seal) values ('n', '0x1', now(), '')`,
    );
    const readNonces = async () =>
      replicas.read((snapshot) =>
        snapshot.query<{ nonce: string; standby: boolean }>(
          'select nonce, pg_is_in_recovery() as standby from wallet_nonce',
          [],
        ),
      );
    await eventually(async () => expect(await readNonces()).toEqual([{ nonce: 'n', standby: true }]));
  });

  it('cannot write, on the replica or on the primary', async () => {
    // The replica rejects the write, which then runs on the primary.
    const writing = replicas.read((snapshot) => snapshot.query('delete from wallet_nonce', []));
    await expect(writing).rejects.toThrow('read-only transaction');
  });

  it('are read on the primary while the replica lags, and on the replica after it has caught up', async () => {
    await onStandby('select pg_wal_replay_pause()');
    await untilOnReplica(false);
    await onStandby('select pg_wal_replay_resume()');
    await untilOnReplica(true);
  });

  it('use the replicas in turn, and the primary instead of one that is unavailable', async () => {
    const both = replicasAt(
      ['postgres://nobody@127.0.0.1:1/none', pair.standby.url(PLATFORM_DATABASE)],
      3600,
    );
    expect([await isOnReplica(both), await isOnReplica(both), await isOnReplica(both)]).toEqual([
      false,
      true,
      false,
    ]);
    await both.onModuleDestroy();
  });

  it('are read on the primary without replicas', async () => {
    expect(await isOnReplica(replicasAt([]))).toBe(false);
  });

  it('are read on the primary when the replica becomes unavailable', async () => {
    await pair.standby.stop();
    expect(await isOnReplica()).toBe(false);
  });
});
