import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config/app-config.js';
import { SessionClient } from './session-settings.js';
import { isPoolTimeout } from '../common/errors/database-error.js';

export const NOTIFICATION_CHANNEL = 'platform_notice';
const HEARTBEAT_MS = 250;
const MAX_MISSING_HEARTBEATS = 40; // ten seconds; then the listening connection counts as lost, although it has reported no error
const STALE_MS = 900; // so that a revoked session ends within a second in all processes (DEC-13)

/**
 * Receives notifications of all processes through LISTEN/NOTIFY: of changed rows, so that caches can be invalidated, and of
 * committed events.
 *
 * Notifications arrive in the order of commits. Four times a second this process sends a heartbeat to itself; its arrival
 * proves that every earlier notification has arrived. `isCurrent` is false, and caches must not be used, while the last
 * heartbeat is older than `STALE_MS`. The heartbeat is sent on another connection than the listening one, so that a
 * pooler which only returns a connection's own notifications is detected.
 */
@Injectable()
export class PgNotifications implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('PgNotifications');
  private readonly listeners = new Map<string, ((id: string) => void)[]>();
  private readonly reconnectListeners: (() => void)[] = [];
  private readonly ownId = randomUUID(); // of this process, in its heartbeats
  private connection: Promise<pg.Client> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The reading of `performance.now()` when the last heartbeat that has arrived was sent. */
  private lastHeartbeatMs = -Infinity;
  /** Heartbeats sent since the last one has arrived. Not counted before the first: a pooler may never deliver any. */
  private missingHeartbeats = -Infinity;

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
  ) {}

  /** True while the notifications of all changes that are older than `STALE_MS` have arrived. */
  get isCurrent(): boolean {
    return performance.now() - this.lastHeartbeatMs < STALE_MS;
  }

  /** Calls `listener` with the id of each notification `topic:id`. A topic can have several listeners. */
  subscribe(topic: string, listener: (id: string) => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  /** Calls `listener` after every connection, also the first: notifications that were sent earlier may have been missed. */
  onReconnect(listener: () => void): void {
    this.reconnectListeners.push(listener);
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.sendHeartbeat(), HEARTBEAT_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.connection?.then((client) => client.end()).catch(() => undefined);
  }

  private async sendHeartbeat(): Promise<void> {
    const connection = (this.connection ??= this.connect());
    if (!(await connection.catch(() => undefined))) return this.dropConnection(connection);
    try {
      if (this.missingHeartbeats > MAX_MISSING_HEARTBEATS)
        throw new Error(`${this.missingHeartbeats} heartbeats have not arrived`);
      await this.dataSource.query(`select pg_notify('${NOTIFICATION_CHANNEL}', $1)`, [
        `beat:${this.ownId} ${performance.now()}`,
      ]);
      this.missingHeartbeats++;
    } catch (error) {
      if (connection !== this.connection || isPoolTimeout(error)) return; // says nothing about the listening connection
      this.log.warn({
        msg: 'the heartbeat of notifications failed, so their connection is replaced',
        err: error,
      });
      this.dropConnection(connection);
    }
  }

  private connect(): Promise<pg.Client> {
    const client = new SessionClient({
      connectionString: this.config.DATABASE_NOTICES_URL ?? this.config.DATABASE_URL,
      connectionTimeoutMillis: STALE_MS,
      query_timeout: STALE_MS,
      application_name: 'stablecoin-platform notices',
      keepAlive: true,
    });
    client.on('notification', ({ payload = '' }) => this.receive(payload));
    const connection = client.connect().then(async () => {
      await client.query(`listen ${NOTIFICATION_CHANNEL}`);
      this.missingHeartbeats = -Infinity;
      for (const listener of this.reconnectListeners) listener();
      return client;
    });
    connection.catch(() => client.end()).catch(() => undefined); // it may be connected, but is not listening
    client.on('error', () => this.dropConnection(connection));
    return connection;
  }

  private dropConnection(connection: Promise<pg.Client>): void {
    if (connection === this.connection) this.connection = undefined;
    connection.then((client) => client.end()).catch(() => undefined);
  }

  private receive(payload: string): void {
    const [topic, id = ''] = payload.split(/:(.*)/s) as [string, string?]; // at the first colon
    if (topic !== 'beat') return this.listeners.get(topic)?.forEach((listener) => listener(id));
    const [processId, sentMs] = id.split(' ');
    if (processId !== this.ownId) return;
    this.lastHeartbeatMs = Math.max(this.lastHeartbeatMs, Number(sentMs)); // a replaced connection may deliver old ones
    this.missingHeartbeats = 0;
  }
}
