import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';
import { REPEATABLE_SECONDS } from './refresh-tokens.service.js';

const CLEAN_UP_ROWS = 10_000; // at a time: deleting never holds up anybody for long
const TABLES = [
  ['session', 'id'],
  ['refresh_token', 'token_hash'],
] as const;

/** What has expired is of no more use: the token says so itself. */
@Injectable()
export class ExpiredSessionsJob {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
  ) {}

  /** Deletes nothing while the process's clock is wrong. */
  @Job({
    name: 'expired-sessions',
    purpose: 'Deletes sessions and refresh tokens that have expired',
    everySeconds: 600,
  })
  async forget(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isRight) return;
    for (const [table, key] of TABLES) {
      while ((await this.forgetSome(table, key)) === CLEAN_UP_ROWS && !stopping.aborted);
    }
  }

  /** By the database's clock, as they are kept. */
  @Job({
    name: 'refresh-token-successors',
    purpose:
      'Deletes the encrypted successors of refresh tokens that were spent too long ago to be answered again',
    everySeconds: REPEATABLE_SECONDS,
  })
  async forgetSuccessors(): Promise<void> {
    await this.dataSource.query(
      `update refresh_token set successor = null
        where successor is not null and spent_at <= clock_timestamp() - interval '${REPEATABLE_SECONDS} seconds'`,
    );
  }

  private async forgetSome(table: string, key: string): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `delete from ${table} where ${key} in (
         select ${key} from ${table} where expires_at <= $1
          order by expires_at limit ${CLEAN_UP_ROWS} for update skip locked)`,
      [realNow()],
    );
    return deleted;
  }
}
