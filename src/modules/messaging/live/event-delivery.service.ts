import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { CommittedEvents, type EventReader } from '../../../events/committed-events.service.js';
import { EventLogRepository } from '../../../events/event-log.repository.js';
import { ConnectionsService, type LiveConnection } from './connections.service.js';
import { helloFrame, mayReceive } from './domain/live-messages.js';
import { LiveRepository } from './live.repository.js';
import {
  DELIVERY_PAGE_EVENTS,
  type DeliveryStart,
  type LiveOwner,
  REPLAY_PAGE_EVENTS,
} from './live.types.js';

/** The live delivery of this process, for the status route and the metrics. */
export interface LiveState {
  readonly isEnabled: boolean;
  readonly connections: number;
  /** Events sent since the start of the process. */
  readonly delivered: number;
  readonly oldestUndeliveredMs: number;
}

/** If no poll has succeeded for this time, the reported age of undelivered events grows. */
const STALE_MS = 3000;

/** Reads new events in the order of their numbers and sends them to the connections of this process. */
@Injectable()
export class EventDeliveryService implements EventReader {
  readonly pauseMs = 0;
  /** The number of the last event that was sent to the connections or, in a process without connections, skipped. */
  lastDelivered = 0;
  /** False until a poll has succeeded, and behind a pooler without DATABASE_NOTICES_URL, where the ends of sessions are not reported. */
  isReady = false;
  /** The age of the oldest event that waited for the end of a transaction at the last poll. */
  private waitingMs = 0;
  private polledAtMs = performance.now();

  constructor(
    private readonly committed: CommittedEvents,
    private readonly log: EventLogRepository,
    private readonly events: LiveRepository,
    private readonly connections: ConnectionsService,
    private readonly config: AppConfig,
  ) {
    committed.addReader(this);
  }

  /** Without connections, a notification costs no query. */
  get isInUse(): boolean {
    return this.connections.isInUse;
  }

  /** `lastDelivered` for a new connection, after the notifications that were ignored for want of connections are handled. */
  async getLastDelivered(): Promise<number> {
    await this.committed.catchUp();
    return this.lastDelivered;
  }

  /** The age of the oldest event that waited at the last poll, plus the time since then while polls fail. */
  private get oldestUndeliveredMs(): number {
    const sincePollMs = performance.now() - this.polledAtMs;
    return this.isReady && sincePollMs > STALE_MS ? this.waitingMs + sincePollMs : this.waitingMs;
  }

  get state(): LiveState {
    return {
      isEnabled: this.isReady,
      connections: this.connections.count,
      delivered: this.connections.delivered,
      oldestUndeliveredMs: this.oldestUndeliveredMs,
    };
  }

  async onCheck({ isPoll }: { isPoll: boolean }): Promise<void> {
    if (!this.isReady) this.lastDelivered = await this.log.getNumberBeforeOpenTransactions();
    const { reached } = this.committed;
    // Without connections nothing is sent, and the newest number is enough. While the number is read, a connection may
    // open, so the count is checked again.
    if (this.connections.count === 0 && (isPoll || this.isInUse)) await this.readState(reached);
    if (this.connections.count > 0) await this.deliverUpTo(reached);
    if (isPoll) await this.readState(reached);
    this.isReady = this.config.DATABASE_POOLER === 'none' || this.config.DATABASE_NOTICES_URL !== undefined;
  }

  private async readState(reached: number): Promise<void> {
    const { last, waitingMs } = await this.events.getState(Math.max(this.lastDelivered, reached));
    // Without connections the events are skipped. If a connection was opened during the query, `deliverPage` sends them.
    if (this.connections.count === 0) this.lastDelivered = Math.max(this.lastDelivered, last);
    this.waitingMs = waitingMs;
    this.polledAtMs = performance.now();
  }

  /** Stops when the session ends: after a crash, the database may give numbers up to `reached` to new events. */
  private async deliverUpTo(reached: number): Promise<void> {
    let hasMore = true;
    while (hasMore && this.committed.reached >= reached) hasMore = await this.deliverPage(reached);
  }

  /** Sends the next events up to `reached`. Returns whether more may follow. */
  private async deliverPage(reached: number): Promise<boolean> {
    if (this.lastDelivered >= reached) return false;
    const page = await this.log.findPageWithBalances(
      { after: this.lastDelivered, upTo: reached },
      DELIVERY_PAGE_EVENTS,
    );
    for (const event of page) {
      this.connections.deliver(event);
      this.lastDelivered = event.number;
    }
    return page.length === DELIVERY_PAGE_EVENTS;
  }
}

/** Sends a new connection its first frame and the events since the last one that the client has seen. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly events: LiveRepository,
    private readonly connections: ConnectionsService,
    private readonly delivery: EventDeliveryService,
    private readonly clock: Clock,
  ) {}

  /** `after`: the query parameter as the client sent it, or null. */
  async getStart(owner: LiveOwner, after: string | null): Promise<DeliveryStart> {
    const lastDelivered = await this.delivery.getLastDelivered();
    const audience = this.connections.audienceOf(owner);
    const replay = await this.events.getStart(audience, after, lastDelivered);
    return { replay, lastDelivered, isComplete: after === null || replay.after !== null };
  }

  /** Resolves when the connection receives events as they arrive. */
  async startDelivery(
    connection: LiveConnection,
    { replay, lastDelivered, isComplete }: DeliveryStart,
  ): Promise<void> {
    const { after, replayed, skippedIds } = replay;
    const hello = { replayed: after === null ? 0 : replayed, complete: isComplete };
    connection.sendHello(helloFrame(this.clock.now(), hello));
    connection.skipMessages(skippedIds);
    await this.replaySince(connection, after ?? lastDelivered);
  }

  /** Sends pages, as the socket takes them, until the connection has every event that this process has delivered. */
  private async replaySince(connection: LiveConnection, from: number): Promise<void> {
    let after = from;
    while (connection.isOpen) {
      const upTo = this.delivery.lastDelivered;
      // No `await` since `upTo` was read, so that no event is delivered in between.
      if (after >= upTo) return connection.startLive(after);
      const audience = this.connections.audienceOf(connection.owner);
      const page = await this.events.findPageOfAudience(audience, { after, upTo }, REPLAY_PAGE_EVENTS);
      const messages = page.flatMap((event) => this.connections.messagesOf(event));
      await connection.sendPage(messages.filter((message) => mayReceive(audience, message)));
      after = page.length < REPLAY_PAGE_EVENTS ? upTo : (page.at(-1)?.number ?? upTo);
    }
  }
}
