import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SerialQueue } from '../../common/serial-queue.js';
import { AppConfig } from '../../config/app-config.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { ConnectionsService } from './connections.service.js';
import { HorizonSession } from './horizon-session.repository.js';
import { DELIVERY_PAGE_ROWS, WRITTEN_TOPIC } from './live.constants.js';
import { LiveEventsRepository } from './live-events.repository.js';

const POLL_MS = 1000;
/** If no poll has succeeded for this time, the reported age of undelivered events grows. */
const STALE_MS = 3000;
/** The delay before the next attempt while events wait for the end of a transaction. It doubles up to the maximum. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 40;

/**
 * Reads new events in the order of their numbers and sends them to the connections of this process. It reads only up to a
 * reached commit horizon, so that no event with a smaller number can follow.
 */
@Injectable()
export class EventDeliveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('LiveDelivery');
  /** The number of the last event that was sent to the connections or, in a process without connections, skipped. */
  lastDelivered = 0;
  /** False until a poll has succeeded. */
  isReady = false;
  private session: HorizonSession | undefined;
  private readonly runs = new SerialQueue(() => this.deliverNewOrWarn());
  /** True if the next run is a poll, which also reads the age of the waiting events. */
  private isPollDue = true;
  /** True if a notification or a retry was ignored because there was no connection. */
  private isBehind = false;
  /** The age of the oldest event that waited for the end of a transaction at the last poll. */
  private waitingMs = 0;
  private polledAtMs = performance.now();
  private pollTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private retryMs = MIN_RETRY_MS;
  private hasFailed = false;
  private isStopping = false;

  constructor(
    private readonly config: AppConfig,
    private readonly events: LiveEventsRepository,
    private readonly connections: ConnectionsService,
    notifications: PgNotifications,
  ) {
    notifications.subscribe(WRITTEN_TOPIC, () => this.deliverSoon());
  }

  /** Starts the polls, which find events whose notification was lost. The first one ends before the HTTP server listens. */
  async onApplicationBootstrap(): Promise<void> {
    const { DATABASE_POOLER, DATABASE_NOTICES_URL } = this.config;
    if (DATABASE_POOLER !== 'none' && DATABASE_NOTICES_URL === undefined) {
      this.log.error('DATABASE_POOLER is set without DATABASE_NOTICES_URL, so there is no live delivery');
      return;
    }
    this.pollTimer = setInterval(() => void this.poll(), POLL_MS).unref();
    await this.poll();
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.pollTimer);
    clearTimeout(this.retryTimer);
    await this.runs.idle();
    await this.session?.end();
  }

  /** `lastDelivered` for a new connection, after the notifications that were ignored for want of connections are handled. */
  async findLastDelivered(): Promise<number> {
    if (this.isBehind) await this.runs.enqueue();
    return this.lastDelivered;
  }

  /** The age of the oldest event that waited at the last poll, plus the time since then while polls fail. */
  get oldestUndeliveredMs(): number {
    const sincePollMs = performance.now() - this.polledAtMs;
    return this.isReady && sincePollMs > STALE_MS ? this.waitingMs + sincePollMs : this.waitingMs;
  }

  /** Without connections, a notification costs no query. */
  private deliverSoon(): void {
    if (this.connections.isInUse) void this.runs.enqueue();
    else this.isBehind = true;
  }

  private poll(): Promise<void> {
    this.isPollDue = true;
    return this.runs.enqueue();
  }

  private async deliverNewOrWarn(): Promise<void> {
    if (this.isStopping) return;
    await this.deliverNew().catch((error: unknown) => {
      if (!this.hasFailed)
        this.log.warn({ msg: 'new events were not read; the next poll reads them', err: error });
      this.hasFailed = true;
    });
  }

  private async deliverNew(): Promise<void> {
    this.isBehind = false;
    if (!this.isReady) this.lastDelivered = await this.events.findNumberBeforeOpenTransactions();
    const session = (this.session ??= await this.connect());
    const { reached, isWaiting } = await session
      .findReachedEvents(this.lastDelivered)
      .catch((error: unknown) => {
        this.dropSession();
        throw error;
      });
    // Without connections nothing is sent, and the newest number is enough. While the number is read, a connection may
    // open, so the count is checked again.
    if (this.connections.count === 0) await this.readState(reached);
    if (this.connections.count > 0) await this.deliverUpTo(reached, session);
    if (this.isPollDue) await this.readState(reached);
    this.isReady = true;
    this.hasFailed = false;
    if (reached > 0 || !isWaiting) this.retryMs = MIN_RETRY_MS;
    if (isWaiting) this.retryLater();
  }

  private async readState(reached: number): Promise<void> {
    this.isPollDue = false;
    const { last, waitingMs } = await this.events.findState(Math.max(this.lastDelivered, reached));
    // Without connections the events are skipped. If a connection was opened during the query, `deliverPage` sends them.
    if (this.connections.count === 0) this.lastDelivered = Math.max(this.lastDelivered, last);
    this.waitingMs = waitingMs;
    this.polledAtMs = performance.now();
  }

  /** Stops when the session ends: after a crash, the database may give numbers up to `reached` to new events. */
  private async deliverUpTo(reached: number, session: HorizonSession): Promise<void> {
    let hasMore = true;
    while (hasMore && this.session === session) hasMore = await this.deliverPage(reached);
  }

  /** Sends the next events up to `reached`. Returns whether more may follow. */
  private async deliverPage(reached: number): Promise<boolean> {
    if (this.lastDelivered >= reached) return false;
    const page = await this.events.findPage({ after: this.lastDelivered, upTo: reached }, DELIVERY_PAGE_ROWS);
    for (const event of page) {
      this.connections.deliver(event);
      this.lastDelivered = event.sequence;
    }
    return page.length === DELIVERY_PAGE_ROWS;
  }

  private retryLater(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.deliverSoon(), this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_MS);
  }

  private connect(): Promise<HorizonSession> {
    const url = this.config.DATABASE_NOTICES_URL ?? this.config.DATABASE_URL;
    return HorizonSession.connect(url, (lostSession) => {
      if (lostSession === this.session) this.dropSession();
    });
  }

  private dropSession(): void {
    void this.session?.end();
    this.session = undefined;
  }
}
