import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config/app-config.js';
import { databaseOptions } from './data-source.js';
import { Snapshots, type Snapshot } from './snapshots.js';

/** Half of the smallest permitted DATABASE_REPLICA_LAG_SECONDS, which is one second. */
const HEARTBEAT_MS = 500;
/** Connections of a process to each replica. Admins' reports are rare. */
const POOL_SIZE = 5;

/**
 * Runs reads whose data may be some seconds old, such as those of reports, on the read replicas in turn. A read falls back to
 * the primary if the replica fails or lags. The lag is the age of the row of `replica_beat`, which each API process updates on
 * the primary; the clocks of the servers have to agree.
 */
@Injectable()
export class Replicas implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger('Replicas');
  private readonly replicas: DataSource[];
  private timer: NodeJS.Timeout | undefined;
  private readCount = 0;
  private isWritingHeartbeat = false;

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly snapshots: Snapshots,
  ) {
    this.replicas = config.DATABASE_REPLICA_URLS.map(
      (url) => new DataSource({ ...databaseOptions(config, url), poolSize: POOL_SIZE }),
    );
  }

  onModuleInit(): void {
    if (this.replicas.length > 0)
      this.timer = setInterval(() => void this.writeHeartbeat(), HEARTBEAT_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const replica of this.replicas) if (replica.isInitialized) await replica.destroy();
  }

  /** Runs `work` on a replica and, if it fails there, again on the primary: `work` must only read, and may run twice. */
  async read<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const replica = this.replicas[this.readCount++ % Math.max(this.replicas.length, 1)];
    if (!replica) return this.snapshots.read(work);
    try {
      return await readOn(replica, this.config.DATABASE_REPLICA_LAG_SECONDS, work);
    } catch (error) {
      this.log.warn({ msg: 'a read on a replica failed and runs on the primary instead', err: error });
      return this.snapshots.read(work);
    }
  }

  /** Skipped while the previous one is not written, so that a slow primary does not get ever more of them. */
  private async writeHeartbeat(): Promise<void> {
    if (this.isWritingHeartbeat) return;
    this.isWritingHeartbeat = true;
    try {
      await this.dataSource.query('update replica_beat set at = clock_timestamp()');
    } catch (error) {
      this.log.warn({ msg: 'the heartbeat for replicas was not written', err: error });
    } finally {
      this.isWritingHeartbeat = false;
    }
  }
}

async function readOn<Result>(
  replica: DataSource,
  maxLagSeconds: number,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  if (!replica.isInitialized) await openReplica(replica);
  return new Snapshots(replica).read(async (snapshot) => {
    const [beat] = await snapshot.query<{ isRecent: boolean }>(
      `select at > clock_timestamp() - make_interval(secs => $1) as "isRecent" from replica_beat`,
      [maxLagSeconds],
    );
    if (!beat?.isRecent)
      throw new Error(`the replica shows no heartbeat of the last ${maxLagSeconds} seconds`);
    return work(snapshot);
  });
}

const opening = new WeakMap<DataSource, Promise<unknown>>();

/** Concurrent first reads share one attempt to connect. */
async function openReplica(replica: DataSource): Promise<void> {
  const attempt = opening.get(replica) ?? replica.initialize();
  opening.set(replica, attempt);
  await attempt.finally(() => opening.delete(replica));
}
