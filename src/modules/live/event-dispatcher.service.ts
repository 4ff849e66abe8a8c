import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SerialQueue } from '../../common/serial-queue.js';
import { LiveEventsRepository } from './live-events.repository.js';
import { PositionsService } from './positions.service.js';

/** How long commits are collected for one notification. */
const COLLECT_MS = 10;

/**
 * Reports the commits of this process, many with one notification, to the process that gives positions. A notification in
 * the transaction of the event itself would take a lock on the whole database (DEC-61).
 */
@Injectable()
export class EventDispatcherService implements OnModuleDestroy {
  private readonly log = new Logger('LiveDispatcher');
  private timer: NodeJS.Timeout | undefined;
  private readonly sending = new SerialQueue(() =>
    this.events
      .notifyOfWrittenEvents()
      .catch((error: unknown) => this.log.warn({ msg: 'new events were not reported', err: error })),
  );

  constructor(
    private readonly events: LiveEventsRepository,
    private readonly positions: PositionsService,
  ) {}

  /** Bound to the context of the constructor, so that the timer does not run in the trace of the request that has committed. */
  readonly dispatchSoon = AsyncResource.bind((): void => {
    this.timer ??= setTimeout(() => this.dispatch(), COLLECT_MS).unref();
  });

  async onModuleDestroy(): Promise<void> {
    clearTimeout(this.timer);
    await this.sending.idle();
  }

  /** A lost notification delays events by a fraction of a second, because the process that gives positions also polls. */
  private dispatch(): void {
    this.timer = undefined;
    if (this.positions.holdsLock) return this.positions.assignSoon();
    void this.sending.enqueue();
  }
}
