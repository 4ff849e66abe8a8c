import {
  Injectable,
  Logger,
  Optional,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SerialQueue } from '../common/serial-queue.js';
import { AppConfig } from '../config/app-config.js';
import { DatabaseClock } from '../database/database-clock.js';
import { PgNotifications } from '../database/pg-notifications.js';
import { EVENTS_TOPIC } from './event-log.repository.js';
import { HorizonSession } from './horizon-session.repository.js';

const POLL_MS = 1000;
/** The delay before the next check while events wait for the end of a transaction. It doubles up to the maximum. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 40;

/** A part of this process that reads events. */
export interface EventReader {
  /** False: the reader is called by polls alone, so that notifications cost no query. */
  readonly isInUse: boolean;
  /** How long it wants to collect events before the next check. */
  readonly pauseMs: number;
  /** Reads up to `CommittedEvents.reached`. The next check waits for it. */
  onCheck(check: { readonly isPoll: boolean }): Promise<void> | void;
}

/**
 * Finds out up to which number all events are committed, so that no event with a smaller number can follow: after each
 * notification about events, and once a second.
 */
@Injectable()
export class CommittedEvents implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('CommittedEvents');
  private readonly readers: EventReader[] = [];
  private session: HorizonSession | undefined;
  private readonly checks = new SerialQueue(() => this.checkOrWarn());
  /** The ids of open transactions of this process that write no event, so that events need not wait for their ends. */
  readonly ignoredXids = new Set<string>();
  private isPollDue = true;
  /** True if a notification was ignored because no reader is in use. */
  private isBehind = false;
  private pollTimer: NodeJS.Timeout | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private pauseTimer: NodeJS.Timeout | undefined;
  private retryMs = MIN_RETRY_MS;
  private hasFailed = false;
  private isStopping = false;
  /**
   * No event with this number or a smaller one can be committed any more. 0 without a session: after a crash the database may give
   * the numbers of events that were not committed to other events.
   */
  reached = 0;
  /**
   * True in the process that hands events to consumers, one at a time; behind a pooler without DATABASE_NOTICES_URL in every process.
   */
  isLeader = false;

  constructor(
    private readonly config: AppConfig,
    notifications: PgNotifications,
    @Optional() private readonly clock?: DatabaseClock, // absent in fixtures
  ) {
    notifications.subscribe(EVENTS_TOPIC, () => this.checkSoon());
  }

  addReader(reader: EventReader): void {
    this.readers.push(reader);
  }

  /** The first check ends before the HTTP server listens. */
  async onApplicationBootstrap(): Promise<void> {
    this.pollTimer = setInterval(() => void this.poll(), POLL_MS).unref();
    await this.poll();
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.pollTimer);
    clearTimeout(this.retryTimer);
    clearTimeout(this.pauseTimer);
    await this.checks.idle();
    await this.session?.end();
  }

  /** Resolves after a check that begins after the call. */
  check(): Promise<void> {
    return this.checks.enqueue();
  }

  /** Resolves after the notifications that were ignored are handled. */
  async catchUp(): Promise<void> {
    if (this.isBehind) await this.check();
  }

  /** A process with a wrong clock may not write, and so may not lead. */
  private get isClockRight(): boolean {
    return this.clock?.isInSync ?? true;
  }

  private checkSoon(): void {
    const readers = this.readers.filter(({ isInUse }) => isInUse);
    const pauseMs = Math.min(...readers.map((reader) => reader.pauseMs));
    if (pauseMs === Infinity) this.isBehind = true;
    else if (pauseMs <= 0) void this.checks.enqueue();
    else if (!this.isStopping)
      this.pauseTimer ??= setTimeout(() => {
        this.pauseTimer = undefined;
        void this.checks.enqueue();
      }, pauseMs).unref();
  }

  private poll(): Promise<void> {
    this.isPollDue = true;
    return this.checks.enqueue();
  }

  private async checkOrWarn(): Promise<void> {
    if (this.isStopping) return;
    try {
      await this.checkReached();
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed)
        this.log.warn({ msg: 'new events were not read; the next poll reads them', err: error });
      this.hasFailed = true;
    }
  }

  private async checkReached(): Promise<void> {
    const isPoll = this.isPollDue;
    this.isPollDue = false; // before the first wait: a poll that becomes due during the check has one of its own
    this.isBehind = false;
    const { reached, isWaiting } = await this.findReached(isPoll);
    this.reached = Math.max(this.reached, reached);
    for (const reader of this.readers) await reader.onCheck({ isPoll });
    if (reached > 0 || !isWaiting) this.retryMs = MIN_RETRY_MS;
    if (isWaiting) this.retryLater();
  }

  private async findReached(isPoll: boolean): Promise<{ reached: number; isWaiting: boolean }> {
    if (this.isLeader && !this.isClockRight) this.dropSession(); // another process leads
    const session = (this.session ??= await this.connect());
    try {
      if (isPoll) this.isLeader = this.isClockRight && (await session.lead());
      return await session.getReachedEvents([...this.ignoredXids]);
    } catch (error) {
      this.dropSession();
      throw error;
    }
  }

  private retryLater(): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.checkSoon(), this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_MS);
  }

  private connect(): Promise<HorizonSession> {
    const { DATABASE_URL, DATABASE_NOTICES_URL, DATABASE_POOLER } = this.config;
    return HorizonSession.connect({
      url: DATABASE_NOTICES_URL ?? DATABASE_URL,
      isPooled: DATABASE_NOTICES_URL === undefined && DATABASE_POOLER !== 'none',
      onLost: (lostSession) => {
        if (lostSession === this.session) this.dropSession();
      },
    });
  }

  private dropSession(): void {
    void this.session?.end();
    this.session = undefined;
    this.reached = 0;
    this.isLeader = false;
  }
}
