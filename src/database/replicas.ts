import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainError } from '../common/errors/domain-error.js';
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
  private readonly opening = new Map<DataSource, Promise<unknown>>();
  private timer: NodeJS.Timeout | undefined;
  private readCount = 0;
  private writing: Promise<void> | undefined;

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
    if (this.replicas.length > 0) this.timer = setInterval(() => this.writeHeartbeat(), HEARTBEAT_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const replica of this.replicas) if (replica.isInitialized) await replica.destroy();
  }

  /** Runs `work` on a replica and, if it fails there, again on the primary: `work` must only read, and may run twice. */
  async read<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const replica = this.replicas[this.readCount++ % Math.max(this.replicas.length, 1)];
    try {
      if (replica) return await this.readOn(replica, work);
    } catch (error) {
      if (error instanceof DomainError) throw error; // the primary would refuse it, too
      this.log.warn({ msg: 'a read on a replica failed and runs on the primary instead', err: error });
    }
    return this.snapshots.read(work);
  }

  private async readOn<Result>(
    replica: DataSource,
    work: (snapshot: Snapshot) => Promise<Result>,
  ): Promise<Result> {
    await this.openReplica(replica);
    const maxLagSeconds = this.config.DATABASE_REPLICA_LAG_SECONDS;
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

  /** Concurrent first reads share one attempt to connect. */
  private async openReplica(replica: DataSource): Promise<void> {
    if (replica.isInitialized) return;
    const attempt = this.opening.get(replica) ?? replica.initialize();
    this.opening.set(replica, attempt);
    await attempt.finally(() => this.opening.delete(replica));
  }

  /** Writes no heartbeat while the previous one is not written, so that they do not pile up at a slow primary. */
  private writeHeartbeat(): void {
    this.writing ??= this.dataSource
      .query<void>('update replica_beat set at = clock_timestamp()')
      .catch((error: unknown) =>
        this.log.warn({ msg: 'the heartbeat for replicas was not written', err: error }),
      )
      .finally(() => (this.writing = undefined));
  }
}
