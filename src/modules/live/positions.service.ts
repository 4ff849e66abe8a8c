import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SerialQueue } from '../../common/serial-queue.js';
import { AppConfig } from '../../config/app-config.js';
import { PgNotifications } from '../../database/pg-notifications.js';
import { WRITTEN_TOPIC } from './live.constants.js';
import { type AssignedPositions, PositionSession } from './position-session.repository.js';

/** How often the process that holds the lock looks for events, and other processes try to take the lock. */
const TICK_MS = 250;
/** The delay before the next attempt while events wait for the end of a transaction. It doubles up to the maximum. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 40;

/**
 * Gives committed events their positions, in one process at a time. The lock belongs to the session that writes the
 * positions: when the session ends, another process takes over within a second, and the former holder can write nothing.
 */
@Injectable()
export class PositionsService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('LivePositions');
  private session: PositionSession | undefined;
  /** True while the session of this process holds the lock, so that this process gives the positions. */
  holdsLock = false;
  private readonly runs = new SerialQueue(() => this.assignOrReconnect());
  private isStopping = false;
  private hasFailed = false;
  private tickTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private retryMs = MIN_RETRY_MS;
  private onPositioned: () => void = () => undefined;

  constructor(
    private readonly config: AppConfig,
    notifications: PgNotifications,
  ) {
    notifications.subscribe(WRITTEN_TOPIC, () => this.assignSoon());
  }

  /** False if `DATABASE_URL` leads to a pooler and `DATABASE_NOTICES_URL` is not set: a session through a pooler cannot hold the lock. */
  get hasDirectConnection(): boolean {
    return this.config.DATABASE_POOLER === 'none' || this.config.DATABASE_NOTICES_URL !== undefined;
  }

  /** Calls `listener` when this process has given positions; other processes receive a notification. */
  subscribeToPositions(listener: () => void): void {
    this.onPositioned = listener;
  }

  onApplicationBootstrap(): void {
    if (!this.hasDirectConnection) {
      this.log.error('DATABASE_POOLER is set without DATABASE_NOTICES_URL, so there is no live delivery');
      return;
    }
    this.tickTimer = setInterval(() => this.enqueueRun(), TICK_MS).unref();
    this.enqueueRun();
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.tickTimer);
    clearTimeout(this.retryTimer);
    await this.runs.idle();
    await this.session?.end();
  }

  /** Gives positions if this process holds the lock. */
  assignSoon(): void {
    if (this.holdsLock) this.enqueueRun();
  }

  private enqueueRun(): void {
    void this.runs.enqueue();
  }

  /** After a failure, the next run opens a new session. */
  private async assignOrReconnect(): Promise<void> {
    if (this.isStopping) return;
    await this.assignOrTryLock().catch((error: unknown) => {
      if (!this.hasFailed)
        this.log.warn({ msg: 'events got no positions; the next attempt opens a new session', err: error });
      this.hasFailed = true;
      this.dropSession();
    });
  }

  private async assignOrTryLock(): Promise<void> {
    const session = (this.session ??= await this.connect());
    this.holdsLock ||= await session.tryLock();
    if (!this.holdsLock) return;
    const { assigned, hasMore } = await session.assignPositions();
    this.hasFailed = false;
    if (assigned > 0) {
      this.onPositioned();
      await session.notifyOfPositions();
    }
    this.scheduleNextRun({ assigned, hasMore });
  }

  /** Without more events, the next tick or notification starts a run. */
  private scheduleNextRun({ assigned, hasMore }: AssignedPositions): void {
    clearTimeout(this.retryTimer);
    const isWaiting = hasMore && assigned === 0;
    if (hasMore) {
      const delayMs = isWaiting ? this.retryMs : 0;
      this.retryTimer = setTimeout(() => this.enqueueRun(), delayMs).unref();
    }
    this.retryMs = isWaiting ? Math.min(2 * this.retryMs, MAX_RETRY_MS) : MIN_RETRY_MS;
  }

  private connect(): Promise<PositionSession> {
    const url = this.config.DATABASE_NOTICES_URL ?? this.config.DATABASE_URL;
    return PositionSession.connect(url, (lostSession) => {
      if (lostSession === this.session) this.dropSession();
    });
  }

  private dropSession(): void {
    void this.session?.end();
    this.session = undefined;
    this.holdsLock = false;
  }
}
