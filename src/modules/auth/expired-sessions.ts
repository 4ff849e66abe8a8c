import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Repeated } from '../../http/lifecycle/repeated.js';
import { realNow } from '../../kernel/clock.js';

const CLEAN_UP_EVERY_MS = 600_000;
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

  constructor(private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.cleaning.begin(CLEAN_UP_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.cleaning.end();
  }

  /** Deletes the sessions and refresh tokens that have expired. */
  async forget(): Promise<void> {
    for (const [table, key] of TABLES) {
      while ((await this.forgetSome(table, key)) === CLEAN_UP_ROWS && !this.cleaning.isEnding);
    }
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
