import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { asDomainError, isServerFault } from '../common/errors/database-error.js';
import { SerialQueue } from '../common/serial-queue.js';
import { all } from '../database/statements.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { RequestCount } from '../observability/request-count.js';
import { CommittedEvents, type EventReader } from './committed-events.service.js';
import { EventBacklogRepository } from './event-backlog.repository.js';
import { EventConsumers, handPage, type EventConsumer, type RecordedEvent } from './event-consumers.js';
import { EventLogRepository, toRecordedEvent } from './event-log.repository.js';

/**
 * An event that a consumer fails to handle so often is passed over and recorded in `event_failure`. Attempts that failed
 * because the server or the connection failed do not count.
 */
const MAX_ATTEMPTS = 5;

/** A dispatcher that gives way to requests waits this many times the duration of a page before it hands over the next page. */
const WAIT_FACTOR = 9;

/** Consumers that are handed the events together, in one transaction. No group waits for another one. */
interface Group {
  readonly isSummary: boolean;
  /** The time between two runs, in which commits are collected: many events together cost less than one by one. */
  readonly pauseMs: number;
  /** The most events of a short page, which delays requests less, and of a long page, which costs less per event. A page is a transaction. */
  readonly pageEvents: readonly [number, number];
  readonly runs: SerialQueue;
  /** The number up to which all consumers of the group have read, as far as this process knows. */
  dispatched: number;
  lastRunMs: number;
  /** The requests that had begun at the end of the last page. */
  requestsBefore: number;
}

/**
 * Hands committed events to the consumers, in the order of their numbers. One process does it at a time. Even if two do, no event is
 * handled twice: the cursors are locked and moved in the transaction that writes what follows from the events.
 */
@Injectable()
export class EventDispatcher implements EventReader, OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('EventDispatcher');
  private readonly prompt = this.groupOf({ isSummary: false, pauseMs: 40, pageEvents: [10, 100] });
  private readonly summaries = this.groupOf({ isSummary: true, pauseMs: 250, pageEvents: [2000, 2000] });
  private readonly groups = [this.prompt, this.summaries];
  /** The failed attempts of each consumer to handle the first event after its cursor. */
  private readonly attempts = new Map<string, { number: number; count: number }>();
  private summariesTimer: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly committed: CommittedEvents,
    private readonly consumers: EventConsumers,
    private readonly events: EventLogRepository,
    private readonly backlog: EventBacklogRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly requests: RequestCount,
  ) {
    committed.addReader(this);
  }

  get isInUse(): boolean {
    return this.committed.isLeader && this.consumers.all.length > 0;
  }

  get pauseMs(): number {
    return pauseOf(this.prompt);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.events.insertConsumers(this.names);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.summariesTimer);
    for (const { runs } of this.groups) await runs.idle();
  }

  /** Starts the runs without awaiting them, so that the other readers are not delayed. */
  onCheck({ isPoll }: { isPoll: boolean }): void {
    for (const group of this.groups) {
      if (isPoll) group.dispatched = 0; // a cursor may have been set back
      this.dispatchSoon(group);
    }
  }

  /**
   * Resolves when the consumers have handled every event that is committed now, and returns true; false if they have not within
   * the time. For tests and benchmarks.
   */
  async catchUp(withinMs = Infinity): Promise<boolean> {
    const last = await this.events.getLastNumber();
    const deadline = performance.now() + withinMs;
    for (let round = 0; (await this.events.getLowestCursor(this.names)) < last; round++) {
      if (performance.now() > deadline) return false;
      if (round > 0) await sleep(5); // milliseconds, in which a transaction may end
      await this.committed.check();
      await Promise.all(this.groups.map(({ runs }) => runs.enqueue()));
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

  private groupOf(options: Pick<Group, 'isSummary' | 'pauseMs' | 'pageEvents'>): Group {
    const group: Group = {
      ...options,
      runs: new SerialQueue(() => this.dispatchOrWarn(group)),
      dispatched: 0,
      lastRunMs: -Infinity,
      requestsBefore: 0,
    };
    return group;
  }

  /** Summaries wait until their pause is over. */
  private dispatchSoon(group: Group): void {
    const isBehind = this.committed.reached > group.dispatched;
    if (!this.isInUse || !isBehind || this.stopping.signal.aborted) return;
    if (!group.isSummary || pauseOf(group) <= 0) void group.runs.enqueue();
    else
      this.summariesTimer ??= setTimeout(() => {
        this.summariesTimer = undefined;
        this.dispatchSoon(group);
      }, pauseOf(group)).unref();
  }

  /**
   * Hands over pages until no events are left. While more than a long page is left, requests begin and the backlog shrinks, it gives way
   * to the requests: its pages are short, and it waits between them.
   */
  private async dispatchOrWarn(group: Group): Promise<void> {
    const [shortPage, longPage] = group.pageEvents;
    group.lastRunMs = performance.now();
    let left = Infinity;
    let givesWay = false;
    try {
      while (left > 0 && !this.stopping.signal.aborted) {
        const [leftBefore, beganMs] = [left, performance.now()];
        left = await this.dispatchPage(group, givesWay ? shortPage : longPage);
        const isBesideRequests = this.requests.begun > group.requestsBefore;
        group.requestsBefore = this.requests.begun;
        givesWay = isBesideRequests && left > longPage && left < leftBefore;
        if (givesWay) await this.pause(WAIT_FACTOR * (performance.now() - beganMs));
      }
    } catch (error) {
      const msg = 'events were not handed to their consumers; the next poll tries again';
      this.log.warn({ msg, err: error });
    }
  }

  /** Ends at once when the process stops. */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /**
   * Hands the next events, at most `limit`, to all consumers of a group in one transaction. Returns how many numbers of events are
   * left, about.
   */
  private async dispatchPage(group: Group, limit: number): Promise<number> {
    const upTo = this.committed.reached;
    if (upTo <= group.dispatched) return 0;
    const consumers = this.consumers.all.filter(({ isSummary = false }) => isSummary === group.isSummary);
    try {
      const { left, isShared } = await this.consume(consumers, { upTo, limit });
      if (left === 0 && !isShared) group.dispatched = upTo;
      return left;
    } catch (error) {
      this.log.warn({ msg: 'a consumer of events has failed; each one goes on alone', err: error });
    }
    for (const consumer of consumers) await this.consumeAlone(consumer, { upTo, limit });
    return 0; // the next check continues
  }

  /** Hands a page to one consumer; if it fails, one event after the other up to the one that cannot be handled. */
  private async consumeAlone(consumer: EventConsumer, page: { upTo: number; limit: number }): Promise<void> {
    try {
      await this.consume([consumer], page);
    } catch {
      let hasMore = true;
      while (hasMore && !this.stopping.signal.aborted) hasMore = await this.consumeOne(consumer, page.upTo);
    }
  }

  private async consumeOne(consumer: EventConsumer, upTo: number): Promise<boolean> {
    let current: RecordedEvent | undefined;
    try {
      const { left } = await this.consume([consumer], { upTo, limit: 1 }, (event) => (current = event));
      return left > 0;
    } catch (error) {
      this.log.warn({
        msg: 'an event was not handled',
        consumer: consumer.name,
        eventId: current?.id,
        err: error,
      });
      if (current && !isTemporary(error) && this.countAttempt(consumer, current) >= MAX_ATTEMPTS)
        await this.passOver(consumer, current, error);
      return false;
    }
  }

  private countAttempt({ name }: EventConsumer, { number }: RecordedEvent): number {
    const before = this.attempts.get(name);
    const count = before?.number === number ? before.count + 1 : 1;
    this.attempts.set(name, { number, count });
    return count;
  }

  private async passOver({ name }: EventConsumer, event: RecordedEvent, error: unknown): Promise<void> {
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      const { cursors } = await this.events.lockCursors(tx, [name]);
      if ((cursors.get(name) ?? Infinity) >= event.number) return; // another process has handled it
      this.events.insertFailure(tx, name, event, String(error));
      this.events.moveCursors(tx, [name], event.number);
    });
    this.log.error({ msg: 'an event is passed over', consumer: name, eventId: event.id, err: error });
  }

  /**
   * Locks the cursors, hands the next events to their consumers and moves the cursors. `left`: how many numbers of events are left
   * up to `upTo`; `isShared`: another process has locked cursors, whose consumers got none.
   */
  private async consume(
    consumers: readonly EventConsumer[],
    { upTo, limit }: { upTo: number; limit: number },
    onEvent?: (event: RecordedEvent) => void,
  ): Promise<{ left: number; isShared: boolean }> {
    const isSummary = consumers.every((consumer) => consumer.isSummary);
    const { ignoredXids } = this.committed;
    let xid: string | undefined; // of the last try
    const consumption = this.unitOfWork.runInNewTransaction(async (tx) => {
      const names = consumers.map(({ name }) => name);
      const range = { upTo, limit, hasData: !isSummary };
      const findPage = (of: readonly string[]) => this.events.findPageAfterCursors(tx, of, range);
      const locked = this.events.lockCursors(tx, names);
      const [{ cursors, ...transaction }, rowsOfAll] = await all(locked, findPage(names));
      if (xid !== undefined) ignoredXids.delete(xid);
      xid = transaction.xid;
      if (isSummary && xid !== undefined) ignoredXids.add(xid); // summaries emit no event
      const isShared = cursors.size < consumers.length;
      if (cursors.size === 0) return { left: 0, isShared };
      // The first page may begin at a cursor that another process has locked, far from those of this one.
      const rows = isShared ? await findPage([...cursors.keys()]) : rowsOfAll;
      const page = rows.map(toRecordedEvent);
      for (const event of page) onEvent?.(event);
      const locking = isSummary ? undefined : this.backlog.lockUsers(tx, rows);
      const handing = consumers.map((consumer) => handPage(tx, consumer, page, cursors.get(consumer.name)));
      await all(locking, ...handing);
      const last = page.at(-1);
      if (last) this.events.moveCursors(tx, [...cursors.keys()], last.number);
      return { left: last && page.length === limit ? upTo - last.number : 0, isShared };
    });
    return consumption.finally(() => ignoredXids.delete(xid ?? ''));
  }
}

/** The milliseconds until the next run may begin; negative if it may begin now. */
function pauseOf({ lastRunMs, pauseMs }: Group): number {
  return lastRunMs + pauseMs - performance.now();
}

/** A fault of the server, or a lock or statement that took too long: the event is not the cause. */
function isTemporary(error: unknown): boolean {
  return isServerFault(error) || asDomainError(error)?.code === 'SERVICE_UNAVAILABLE';
}
