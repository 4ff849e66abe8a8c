import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { AppConfig } from '../config/app-config.js';

const PATIENCE_MS = 1500;

/**
 * Whether the database answers, asked over a connection beside the pool: a pool that is busy is no database that is
 * away, and a process that is taken out for being busy leaves its load to the others. However many ask, it is one
 * question at a time. `options` and `query` are what Terminus's TypeOrmHealthIndicator needs of a connection.
 */
@Injectable()
export class DatabaseProbe implements OnApplicationShutdown {
  readonly options = { type: 'postgres' };
  private readonly line: pg.Pool;
  private asking: Promise<unknown> | undefined;

  constructor({ DATABASE_URL: connectionString }: AppConfig) {
    this.line = new pg.Pool({
      connectionString,
      max: 1,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      idleTimeoutMillis: 60_000,
      application_name: 'stablecoin-platform probe',
    });
    this.line.on('error', () => undefined); // it was idle and is gone; the next question opens another
  }

  /** Throws when the database does not answer. */
  async query(statement: string): Promise<void> {
    this.asking ??= this.line.query(statement).finally(() => (this.asking = undefined));
    await this.asking;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.line.end();
  }
}
