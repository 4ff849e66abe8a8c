import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../../config/app-config.js';
import { SessionClient } from '../../../database/session-settings.js';

const TIMEOUT_MS = 1500;

/**
 * Checks on a separate connection whether the database answers. A check through the pool would report a busy process as
 * unhealthy and move its load to other processes. Concurrent checks share one query. `options` and `query` are the
 * members of a DataSource that Terminus's TypeOrmHealthIndicator uses.
 */
@Injectable()
export class DatabaseProbe implements OnApplicationShutdown {
  readonly options = { type: 'postgres' };
  private readonly pool: pg.Pool;
  private running: Promise<unknown> | undefined;

  constructor({ DATABASE_URL: connectionString }: AppConfig) {
    this.pool = new pg.Pool({
      Client: SessionClient,
      connectionString,
      max: 1,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
      application_name: 'stablecoin-platform probe',
    });
    this.pool.on('error', () => undefined); // an idle connection was lost; the next check opens a new one
  }

  /** Throws when the database does not answer. */
  async query(statement: string): Promise<void> {
    this.running ??= this.pool.query(statement).finally(() => (this.running = undefined));
    await this.running;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

@Injectable()
export class HealthRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findSchemaVersion(): Promise<{ name: string; migrations: number } | undefined> {
    const [row] = await this.dataSource.query<{ name: string; migrations: number }[]>(
      `select name, count(*) over ()::int as migrations from migrations order by id desc limit 1`,
    );
    return row;
  }
}
