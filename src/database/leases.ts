import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from './database-clock.js';

const LEASE_SECONDS = 60;
const RENEW_MS = 20_000;

/**
 * Work that one replica does at a time. A replica that dies at it is followed by another within a minute; one that
 * loses the database for that long may find that it was: what is done under a lease must bear being done twice.
 */
@Injectable()
export class Leases {
  private readonly log = new Logger('Leases');
  private readonly holder = randomUUID();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
  ) {}

  /** Does `work` unless another replica is at it or this process's clock is wrong; whether it was done here. Throws what the work throws. */
  async alone(name: string, work: () => Promise<void>): Promise<boolean> {
    if (!this.clock.isRight || !(await this.take(name))) return false;
    const renewal = setInterval(() => void this.renew(name), RENEW_MS).unref();
    try {
      await work();
      return true;
    } finally {
      clearInterval(renewal);
      await this.giveBack(name);
    }
  }

  private async take(name: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `insert into lease (name, holder, until) values ($1, $2, clock_timestamp() + make_interval(secs => $3))
       on conflict (name) do update set holder = excluded.holder, until = excluded.until
         where lease.until < clock_timestamp()
       returning name`,
      [name, this.holder, LEASE_SECONDS],
    );
    return rows.length === 1;
  }

  private async renew(name: string): Promise<void> {
    await this.moveEnd(name, LEASE_SECONDS).catch((error: unknown) =>
      this.log.warn({ msg: `the lease of ${name} was not renewed`, err: error }),
    );
  }

  /** When the database is away, the lease ends by itself. */
  private async giveBack(name: string): Promise<void> {
    await this.moveEnd(name, -1).catch((error: unknown) =>
      this.log.warn({ msg: `the lease of ${name} was not given back`, err: error }),
    );
  }

  private async moveEnd(name: string, seconds: number): Promise<void> {
    await this.dataSource.query(
      `update lease set until = clock_timestamp() + make_interval(secs => $3) where name = $1 and holder = $2`,
      [name, this.holder, seconds],
    );
  }
}
