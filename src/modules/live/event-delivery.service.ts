import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SerialQueue } from '../../common/serial-queue.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { ConnectionsService } from './connections.service.js';
import { DELIVERY_PAGE_ROWS, POSITIONED_TOPIC } from './live.constants.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { PositionsService } from './positions.service.js';

const POLL_MS = 1000;
/** After this time without a successful poll, the reported age of undelivered events grows. */
const STALE_MS = 3000;

/** Reads new events in the order of their positions and sends them to the connections of this process. */
@Injectable()
export class EventDeliveryService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('LiveDelivery');
  /** Every event up to this position has been sent to the connections that are not in a replay. */
  position = 0;
  /** False until the first poll has ended. */
  isReady = false;
  private readonly runs = new SerialQueue(() => this.deliverNewOrWarn());
  private isPollDue = true;
  /** True if a notification was ignored because there was no connection. */
  private isBehind = false;
  /** The age of the oldest event without a position at the last poll. */
  private waitingMs = 0;
  private polledMs = performance.now();
  private polling: NodeJS.Timeout | undefined;
  private hasFailed = false;
  private isStopping = false;

  constructor(
    private readonly events: LiveEventsRepository,
    private readonly connections: ConnectionsService,
    positions: PositionsService,
    notifications: PgNotifications,
  ) {
    positions.subscribeToPositions(() => this.deliverSoon());
    notifications.subscribe(POSITIONED_TOPIC, () => this.deliverSoon());
  }

  /** Polls for events whose notification was lost. The first poll ends before the server listens. */
  async onApplicationBootstrap(): Promise<void> {
    this.polling = setInterval(() => void this.poll(), POLL_MS).unref();
    await this.poll();
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.polling);
    await this.runs.idle();
  }

  /** The position for a new connection. First handles the notifications that were ignored without connections. */
  async findPosition(): Promise<number> {
    if (this.isBehind) await this.runs.enqueue();
    return this.position;
  }

  /** The age of the oldest event without a position at the last poll; plus the time since then while polls fail. */
  get oldestUndeliveredMs(): number {
    const sincePollMs = performance.now() - this.polledMs;
    return sincePollMs > STALE_MS ? this.waitingMs + sincePollMs : this.waitingMs;
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
    if (this.isPollDue || this.connections.count === 0) await this.readState();
    if (this.connections.count > 0) while (await this.deliverPage());
    this.hasFailed = false;
  }

  private async readState(): Promise<void> {
    this.isPollDue = false;
    const { lastPosition, waitingMs } = await this.events.findState();
    // Skips the events that no connection can receive. If a connection was opened during the query, `deliverPage` sends them.
    if (this.connections.count === 0) this.position = Math.max(this.position, lastPosition);
    this.isReady = true;
    this.waitingMs = waitingMs;
    this.polledMs = performance.now();
  }

  private async deliverPage(): Promise<boolean> {
    const page = await this.events.findPage(this.position, DELIVERY_PAGE_ROWS);
    for (const event of page) {
      this.connections.deliver(event);
      this.position = event.position;
    }
    return page.length === DELIVERY_PAGE_ROWS;
  }
}
