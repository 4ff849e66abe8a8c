import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '../../database/database-clock.js';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { realNow } from '../../kernel/clock.js';
import { REPEATABLE_SECONDS } from './refresh-tokens.js';

const CLEAN_UP_EVERY_MS = 600_000;
const SUCCESSORS_EVERY_MS = REPEATABLE_SECONDS * 1000;
const CLEAN_UP_ROWS = 10_000; // at a time: deleting never holds up anybody for long
const TABLES = [
  ['session', 'id'],
  ['refresh_token', 'token_hash'],
] as const;

/** What has expired is of no more use: the token says so itself. */
@Injectable()
export class ExpiredSessions implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly cleaning = new Repeated(
    () => this.forget(),
    new Logger('Sessions'),
    'expired sessions wait to be deleted',
  );
  private readonly cleaningSuccessors = new Repeated(
    () => this.forgetSuccessors(),
    new Logger('Sessions'),
    'successors of spent refresh tokens wait to be deleted',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClock,
  ) {}

  onApplicationBootstrap(): void {
    this.cleaning.begin(CLEAN_UP_EVERY_MS);
    this.cleaningSuccessors.begin(SUCCESSORS_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.cleaning.end();
    await this.cleaningSuccessors.end();
  }

  /** Deletes the sessions and refresh tokens that have expired; nothing while the process's clock is wrong. */
  async forget(): Promise<void> {
    if (!this.clock.isRight) return;
    for (const [table, key] of TABLES) {
      while ((await this.forgetSome(table, key)) === CLEAN_UP_ROWS && !this.cleaning.isEnding);
    }
  }

  /** Deletes the encrypted successors that no spent token answers any more. By the database's clock, as they are kept. */
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
