import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { asDomainError, isServerFault } from '../common/errors/database-error.js';
import { SerialQueue } from '../common/serial-queue.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { CommittedEvents, type EventReader } from './committed-events.service.js';
import { EventBacklogRepository } from './event-backlog.repository.js';
import { EventConsumers, type EventConsumer, type RecordedEvent } from './event-consumers.js';
import { EventLogRepository, toRecordedEvent } from './event-log.repository.js';
import { topicOf } from './event-topics.js';

const PAGE_EVENTS = 500;
/** The pause between two runs, in which commits are collected: many events together cost less than one by one. */
const COLLECT_MS = 40;
/**
 * An event that a consumer fails to handle so often is passed over and recorded in `event_failure`. Attempts that failed
 * because the server or the connection failed do not count.
 */
const MAX_ATTEMPTS = 5;

/**
 * Hands committed events to the consumers, in the order of their numbers. One process does it at a time; the cursors, which are
 * locked and moved in the transaction that writes what follows from the events, decide even if two do.
 */
@Injectable()
export class EventDispatcher implements EventReader, OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('EventDispatcher');
  private readonly runs = new SerialQueue(() => this.dispatchOrWarn());
  /** The number up to which every consumer has read, as far as this process knows. */
  private dispatched = 0;
  /** The failed attempts of each consumer to handle the first event behind its cursor. */
  private readonly attempts = new Map<string, { number: number; count: number }>();
  private lastRunMs = -Infinity;
  private isStopping = false;

  constructor(
    private readonly committed: CommittedEvents,
    private readonly consumers: EventConsumers,
    private readonly events: EventLogRepository,
    private readonly backlog: EventBacklogRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {
    committed.addReader(this);
  }

  get isInUse(): boolean {
    return this.committed.isLeader && this.consumers.all.length > 0;
  }

  get pauseMs(): number {
    return this.lastRunMs + COLLECT_MS - performance.now();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.insertConsumers(this.names);
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await this.runs.idle();
  }

  /** Does not delay the other readers: the run goes on behind the check. */
  onCheck({ isPoll }: { isPoll: boolean }): void {
    if (isPoll) this.dispatched = 0; // a cursor may have been set back
    if (this.isInUse && this.committed.reached > this.dispatched) void this.runs.enqueue();
  }

  /**
   * Resolves when the consumers have handled every event that is committed now, and returns true; false if they have not within
   * the time. For tests and benchmarks.
   */
  async catchUp(withinMs = Infinity): Promise<boolean> {
    const last = await this.events.findLastNumber();
    const deadline = performance.now() + withinMs;
    while ((await this.events.findLowestCursor(this.names)) < last) {
      if (performance.now() > deadline) return false;
      await this.committed.check();
      await this.runs.enqueue();
    }
    return true;
  }

  /**
   * Hands an event again to the consumers that have passed it over, or to the named one of them. Returns their names; none if no
   * consumer of this process has passed it over. Throws the error of a consumer that fails again.
   */
  async repeat(tx: Tx, eventId: string, consumerName?: string): Promise<string[]> {
    const wanted = this.consumers.all.filter(
      ({ name }) => consumerName === undefined || name === consumerName,
    );
    const { row, names } = await this.backlog.takeFailures(
      tx,
      eventId,
      wanted.map(({ name }) => name),
    );
    if (!row) return [];
    for (const consumer of wanted.filter(({ name }) => names.includes(name)))
      await consumer.consume(tx, [toRecordedEvent(row)]);
    return names;
  }

  private get names(): string[] {
    return this.consumers.all.map(({ name }) => name);
  }

  private async dispatchOrWarn(): Promise<void> {
    try {
      let hasMore = true;
      while (hasMore && !this.isStopping) hasMore = await this.dispatchPage();
    } catch (error) {
      this.log.warn({
        msg: 'events were not handed to their consumers; the next poll tries again',
        err: error,
      });
    }
    this.lastRunMs = performance.now();
  }

  /** Hands the next page to all consumers in one transaction. Returns whether more events may follow. */
  private async dispatchPage(): Promise<boolean> {
    const upTo = this.committed.reached;
    if (upTo <= this.dispatched) return false;
    try {
      return await this.consume(this.consumers.all, { upTo, limit: PAGE_EVENTS });
    } catch (error) {
      this.log.warn({ msg: 'a consumer of events has failed; each one goes on alone', err: error });
    }
    for (const consumer of this.consumers.all) await this.consumeAlone(consumer, upTo);
    return false; // the next check goes on
  }

  /** Hands a page to one consumer; if it fails, one event after the other up to the one that cannot be handled. */
  private async consumeAlone(consumer: EventConsumer, upTo: number): Promise<void> {
    try {
      await this.consume([consumer], { upTo, limit: PAGE_EVENTS });
    } catch {
      let hasMore = true;
      while (hasMore && !this.isStopping) hasMore = await this.consumeOne(consumer, upTo);
    }
  }

  private async consumeOne(consumer: EventConsumer, upTo: number): Promise<boolean> {
    let current: RecordedEvent | undefined;
    try {
      return await this.consume([consumer], { upTo, limit: 1 }, (event) => (current = event));
    } catch (error) {
      this.log.warn({
        msg: 'an event was not handled',
        consumer: consumer.name,
        eventId: current?.id,
        err: error,
      });
      if (current && !isTemporary(error) && this.countAttempt(consumer, current) >= MAX_ATTEMPTS)
        await this.park(consumer, current, error);
      return false;
    }
  }

  private countAttempt({ name }: EventConsumer, { number }: RecordedEvent): number {
    const before = this.attempts.get(name);
    const count = before?.number === number ? before.count + 1 : 1;
    this.attempts.set(name, { number, count });
    return count;
  }

  private async park({ name }: EventConsumer, event: RecordedEvent, error: unknown): Promise<void> {
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      const cursors = await this.events.lockCursors(tx, [name]);
      if ((cursors.get(name) ?? Infinity) >= event.number) return; // another process has handled it
      this.events.insertFailure(tx, name, event, String(error));
      this.events.moveCursors(tx, [name], event.number);
    });
    this.log.error({ msg: 'an event is passed over', consumer: name, eventId: event.id, err: error });
  }

  /** Locks the cursors, hands the next events to their consumers and moves the cursors. */
  private async consume(
    consumers: readonly EventConsumer[],
    { upTo, limit }: { upTo: number; limit: number },
    onEvent?: (event: RecordedEvent) => void,
  ): Promise<boolean> {
    let isComplete = false;
    const hasMore = await this.unitOfWork.runInNewTransaction(async (tx) => {
      const cursors = await this.events.lockCursors(
        tx,
        consumers.map(({ name }) => name),
      );
      if (cursors.size === 0) return false; // another process has locked them
      const after = Math.min(...cursors.values());
      const rows = await this.events.findPageInTransaction(tx, { after, upTo }, limit);
      const page = rows.map(toRecordedEvent);
      for (const event of page) onEvent?.(event);
      for (const consumer of consumers) await handPage(tx, consumer, page, cursors.get(consumer.name));
      const last = page.at(-1);
      if (last) this.events.moveCursors(tx, [...cursors.keys()], last.number);
      isComplete = page.length < limit && cursors.size === this.consumers.all.length;
      return page.length === limit;
    });
    if (isComplete) this.dispatched = upTo;
    return hasMore;
  }
}

/** A fault of the server, or a lock or statement that took too long: the event is not the cause. */
function isTemporary(error: unknown): boolean {
  return isServerFault(error) || asDomainError(error)?.code === 'SERVICE_UNAVAILABLE';
}

/** `cursor` is undefined if another process has locked it. */
async function handPage(
  tx: Tx,
  consumer: EventConsumer,
  page: readonly RecordedEvent[],
  cursor = Infinity,
): Promise<void> {
  const isRead = ({ event, changesBalance }: RecordedEvent) =>
    consumer.topics.includes(topicOf(event.name)) || (changesBalance && consumer.topics.includes('balance'));
  const events = page.filter((recorded) => recorded.number > cursor && isRead(recorded));
  if (events.length > 0) await consumer.consume(tx, events);
}
