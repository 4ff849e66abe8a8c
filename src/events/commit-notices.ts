import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SerialQueue } from '../common/serial-queue.js';
import { EventLogRepository } from './event-log.repository.js';

/** How long a commit waits for others, to be reported together. */
const COLLECT_MS = 5;
/** The least time between two notifications: each costs a transaction, and wakes every process. */
const PAUSE_MS = 30;

/**
 * Reports the commits of events in this process to all processes, many with one notification. Notifications in the
 * transactions of the events would make their commits wait for each other (DEC-61). After a lost notification, the next poll
 * of each process finds the events.
 */
@Injectable()
export class CommitNotices implements OnModuleDestroy {
  private readonly log = new Logger('CommitNotices');
  private timer: NodeJS.Timeout | undefined;
  private lastSentMs = -Infinity;
  private readonly sending = new SerialQueue(() =>
    this.events
      .notifyOfWrittenEvents()
      .catch((error: unknown) => this.log.warn({ msg: 'new events were not reported', err: error })),
  );

  constructor(private readonly events: EventLogRepository) {}

  /** Bound to the context of the constructor, so that the timer is not part of the trace of the committing request. */
  readonly sendSoon = AsyncResource.bind((): void => {
    const pauseMs = this.lastSentMs + PAUSE_MS - performance.now();
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.lastSentMs = performance.now();
        void this.sending.enqueue();
      },
      Math.max(COLLECT_MS, pauseMs),
    ).unref();
  });

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    if (this.timer) void this.sending.enqueue();
    await this.sending.idle();
  }
}
