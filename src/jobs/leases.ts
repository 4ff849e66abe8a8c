import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../database/database-clock.js';

const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;

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
    if (!this.clock.isRight || !(await this.acquire(name))) return false;
    const renewal = setInterval(() => void this.setEnd(name, LEASE_SECONDS), RENEW_MS).unref();
    try {
      await work();
      return true;
    } finally {
      clearInterval(renewal);
      await this.setEnd(name, -1);
    }
  }

  private async acquire(name: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `insert into lease (name, holder, until) values ($1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where lease.until < clock_timestamp()
       returning name`,
      [name, this.holder, LEASE_SECONDS],
    );
    return rows.length === 1;
  }

  private async setEnd(name: string, secondsFromNow: number): Promise<void> {
    try {
      await this.dataSource.query(
        `update lease set until = clock_timestamp() + make_interval(secs => $3) where name = $1 and holder = $2`,
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
