import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config/app-config.js';

const CHANNEL = 'platform_notice';
const BEAT_MS = 250;
const STALE_MS = 900;

/**
 * What other processes have changed, told by PostgreSQL (LISTEN/NOTIFY) so that it can be cached here.
 *
 * Notices arrive in the order of commits. Four times a second this process sends one to itself: once that is back,
 * every change committed before it was sent has been heard of. While the last one heard is older than a second,
 * `isCurrent` is false and nothing cached may be believed: when the connection is lost, hangs, or goes through a
 * pooler that does not carry notices. The beat is sent by another connection than the one that listens: a pooler
 * that hands a listener its own notices only must not pass for one that hands it all.
 */
@Injectable()
export class PgNotifications implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('Notices');
  private readonly listeners = new Map<string, (id: string) => void>();
  private readonly missed: (() => void)[] = [];
  private readonly ownId = randomUUID();
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private heardMs = -Infinity;
  private connecting = false;

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
  ) {}

  /** True while every change that is older than a second is known here. */
  get isCurrent(): boolean {
    return performance.now() - this.heardMs < STALE_MS;
  }

  /** Calls `listener` with the id in each notice `topic:id`. */
  subscribe(topic: string, listener: (id: string) => void): void {
    this.listeners.set(topic, listener);
  }

  /** Calls `forgetAll` when notices may have been missed: on every new connection, before it counts as current. */
  onReconnect(forgetAll: () => void): void {
    this.missed.push(forgetAll);
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.beat(), BEAT_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async beat(): Promise<void> {
    if (this.connecting) return;
    try {
      this.client ??= await this.connect();
      await this.dataSource.query(`select pg_notify('${CHANNEL}', $1)`, [
        `beat:${this.ownId} ${performance.now()}`,
      ]);
    } catch (error) {
      if (this.client) this.log.warn(`lost the connection for notices: ${(error as Error).message}`);
      this.drop();
    }
  }

  private async connect(): Promise<pg.Client> {
    this.connecting = true;
    const client = new pg.Client({
      connectionString: this.config.DATABASE_NOTICES_URL ?? this.config.DATABASE_URL,
      connectionTimeoutMillis: STALE_MS,
      query_timeout: STALE_MS,
      application_name: 'stablecoin-platform notices',
    });
    try {
      client.on('error', () => this.drop(client));
      client.on('notification', ({ payload = '' }) => this.hear(payload));
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      for (const forgetAll of this.missed) forgetAll();
      return client;
    } catch (error) {
      client.end().catch(() => undefined); // connected perhaps, and of no use
      throw error;
    } finally {
      this.connecting = false;
    }
  }

  private drop(client = this.client): void {
    if (client === this.client) this.client = undefined;
    client?.end().catch(() => undefined);
  }

  private hear(payload: string): void {
    const [topic, rest = ''] = payload.split(/:(.*)/s) as [string, string?];
    if (topic !== 'beat') return this.listeners.get(topic)?.(rest);
    const [process, sentMs] = rest.split(' ');
    if (process === this.ownId) this.heardMs = Number(sentMs);
  }
}
