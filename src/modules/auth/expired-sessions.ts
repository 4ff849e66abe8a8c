import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { realNow } from '../../kernel/clock.js';

const CLEAN_UP_EVERY_MS = 600_000;
const CLEAN_UP_ROWS = 10_000; // at a time: deleting never holds up anybody for long

/** What has expired is of no more use: the token says so itself. */
@Injectable()
export class ExpiredSessions implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Sessions');
  private timer: NodeJS.Timeout | undefined;
  private cleaning: Promise<unknown> = Promise.resolve();

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.cleaning = this.forget().catch((error: unknown) =>
        this.log.warn({ msg: 'expired sessions wait to be deleted', err: error }),
      );
    }, CLEAN_UP_EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.cleaning;
  }

  /** Deletes some of the sessions and refresh tokens that have expired. */
  async forget(): Promise<void> {
    for (const [table, key] of [
      ['session', 'id'],
      ['refresh_token', 'token_hash'],
    ]) {
      await this.dataSource.query(
        `delete from ${table} where ${key} in (
           select ${key} from ${table} where expires_at <= $1
            order by expires_at limit ${CLEAN_UP_ROWS} for update skip locked)`,
        [realNow()],
      );
    }
  }
}
