import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../database/database-clock.js';
import { WaitingCommits } from '../database/waiting-commits.js';

const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;
/** A lease with a later end does not count as held: the clock of the database was set back after the end was written. */
const MAX_LEASE_SECONDS = 2 * LEASE_SECONDS;

/** Precedes the statement that ends a lease, so that one statement does both. */
const RECORD_SUCCESS = `
  with succeeded as (
    insert into job_run (name, succeeded_at) values ($1, clock_timestamp())
    on conflict (name) do update set succeeded_at = excluded.succeeded_at)`;

/**
 * Leases in the table `lease`, renewed while they are held, let work run in one process at a time. The lease expires a
 * minute after its holder dies. A process that loses the database for a minute keeps working while another one starts, so
 * the work must be idempotent.
 */
@Injectable()
export class Leases {
  private readonly log = new Logger('Leases');
  private readonly holder = randomUUID();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
  ) {}

  /** Runs `work` unless the lease is held or this process's clock is wrong. Returns whether `work` ran; rethrows its errors. */
  async runExclusively(name: string, work: () => Promise<unknown>): Promise<boolean> {
    if (!this.clock.isInSync || !(await this.acquire(name))) return false;
    const renewal = setInterval(() => void this.setEnd(name, LEASE_SECONDS), RENEW_MS).unref();
    try {
      await work();
    } catch (error) {
      await this.endLease(name, renewal);
      throw error;
    }
    await this.endLease(name, renewal, RECORD_SUCCESS);
    return true;
  }

  /** True while the database confirms no commit. */
  commitsWait(): Promise<boolean> {
    return WaitingCommits.exist(this.dataSource);
  }

  /** The seconds since the last success of each name; a time in the future counts as none. */
  async findSecondsSinceSuccess(): Promise<Map<string, number>> {
    const rows = await this.dataSource.query<{ name: string; seconds: number }[]>(
      `select name, extract(epoch from clock_timestamp() - succeeded_at)::float8 as seconds
         from job_run where succeeded_at < clock_timestamp() + make_interval(secs => $1)`,
      [MAX_LEASE_SECONDS],
    );
    return new Map(rows.map(({ name, seconds }) => [name, seconds]));
  }

  private async acquire(name: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `insert into lease (name, holder, until) values ($1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where lease.until not between clock_timestamp() and clock_timestamp() + make_interval(secs => $4)
       returning name`,
      [name, this.holder, LEASE_SECONDS, MAX_LEASE_SECONDS],
    );
    return rows.length === 1;
  }

  private endLease(name: string, renewal: NodeJS.Timeout, before = ''): Promise<void> {
    clearInterval(renewal);
    return this.setEnd(name, -1, before);
  }

  private async setEnd(name: string, secondsFromNow: number, before = ''): Promise<void> {
    try {
      await this.dataSource.query(
        `${before} update lease set until = clock_timestamp() + make_interval(secs => $3) where name = $1 and holder = $2`,
        [name, this.holder, secondsFromNow],
      );
    } catch (error) {
      this.log.warn({
        msg: `the lease of ${name} was not renewed or released, so that it may expire`,
        err: error,
      });
    }
  }
}
