import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityTarget } from 'typeorm';
import type { Clock } from '../common/clock.js';
import type { DatabaseClock } from '../database/database-clock.js';
import { prepared } from '../database/prepared.js';
import type { Tx, UnitOfWork } from '../database/unit-of-work.js';
import { DELETE_BATCH_ROWS, deleteBatch } from './delete-batch.js';
import type { Jobs } from './jobs.service.js';
import { claimStatement, LEAST_OWNER, type QueueTable } from './queue-table.js';

const RECORD_RETRY_MS = 3000;

/** A row that this process has claimed for one attempt. */
export interface ClaimedItem {
  readonly id: string;
  /** Includes this attempt. Identifies the claim: a later one, after the lease has expired, writes a higher number. */
  readonly attempts: number;
  readonly owner: string;
}

/** Columns that each table of a queue has. A table whose claims are leases in real time also has `leasedUntil`. */
interface QueueRow {
  id: string;
  attempts: number;
  dueAt: Date;
  leasedUntil?: Date | null;
}

/** Stores the result of an attempt by `WorkQueue.settle`, and what follows from it. */
export type RecordResult = (tx: Tx) => Promise<unknown>;

export interface QueueOptions<Row extends QueueRow, Item extends ClaimedItem> {
  /** The job that calls `startDue`. */
  readonly job: string;
  readonly entity: EntityTarget<Row>;
  readonly table: QueueTable;
  /** Attempts of this process at once. */
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
  /** A second limit, within an owner: attempts at once with the same id of something else than the item or the owner. */
  readonly perGroup?: { readonly idOf: (item: Item) => string; readonly maxRunning: number };
  /** Makes one attempt, without a transaction. Returns undefined if it was interrupted or has more to do: it is then not counted. */
  readonly attempt: (item: Item, interrupted: AbortSignal) => Promise<RecordResult | undefined>;
  /** How often the result is stored if that fails, every three seconds; by default once. The lease has to be longer. */
  readonly recordTries?: number;
  /** How long a shutdown waits before it interrupts attempts; by default not at all. */
  readonly graceMs?: number;
  readonly retentionMs?: number;
}

export interface QueueServices {
  readonly dataSource: DataSource;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly jobs: Jobs;
}

/**
 * A table of items, each of which needs one successful attempt. Every process claims items under leases, so that those of a
 * process that died are attempted again: at least once. Owners take turns, one item at a time. No row is locked and no
 * connection held during an attempt; the end of each one wakes the job, which starts the next ones.
 */
export class WorkQueue<Row extends QueueRow, Item extends ClaimedItem> {
  private readonly log = new Logger('WorkQueue');
  private readonly running = new Map<string, { readonly item: Item; readonly end: Promise<void> }>();
  /** For each class of items, the most urgent first, the owner whose turn was last. */
  private readonly turns: { readonly statement: string; lastOwner: string }[];
  private readonly interruption = new AbortController();

  constructor(
    private readonly options: QueueOptions<Row, Item>,
    private readonly services: QueueServices,
  ) {
    const { classes = ['true'], owner } = options.table;
    this.turns = classes.map((condition) => ({
      statement: prepared(claimStatement(options.table, condition)),
      lastOwner: LEAST_OWNER[owner.type],
    }));
  }

  /** Starts a run of the job soon, without waiting for it. */
  wake(): void {
    this.job.wake();
  }

  /** Starts attempts until nothing is due or the limits are reached. Does not wait for their ends. */
  async startDue(stopping: AbortSignal): Promise<void> {
    for (const item of await this.claimDue(stopping)) {
      const end = this.attemptItem(item).finally(() => {
        this.running.delete(item.id);
        this.wake();
      });
      this.running.set(item.id, { item, end });
    }
  }

  /**
   * Claims as many due items as may be started. Each statement claims at most one item per owner, from the owner on whose turn
   * follows. Claims nothing while the clock of this process is wrong, because it decides what is due (DEC-26).
   */
  async claimDue(stopping?: AbortSignal): Promise<Item[]> {
    const claimed: Item[] = [];
    for (const turn of this.turns) {
      const leastOwner = LEAST_OWNER[this.options.table.owner.type];
      for (let isEnd = false; !isEnd; ) {
        const free = this.options.maxRunning - this.running.size - claimed.length;
        if (free <= 0 || stopping?.aborted || !this.services.databaseClock.isRight) return claimed;
        const items = await this.claimFromEachOwner(turn, free, claimed);
        claimed.push(...items);
        isEnd = items.length === 0 && turn.lastOwner === leastOwner;
        turn.lastOwner = items.length < free ? leastOwner : (items.at(-1) as Item).owner;
      }
    }
    return claimed;
  }

  /**
   * Ends a claim and changes columns of the item. Returns false and changes nothing if the lease has expired and another process
   * has claimed or settled the item, or if it was deleted.
   */
  async settle({ id, attempts }: ClaimedItem, changes: Partial<Row>, tx?: Tx): Promise<boolean> {
    const { entity, table } = this.options;
    const lease = table.lease.column === 'leased_until' ? { leasedUntil: null } : {};
    const { affected } = await (tx ?? this.services.dataSource)
      .createQueryBuilder()
      .update(entity)
      .set({ ...changes, ...lease } as never)
      .where(`id = :id and attempts = :attempts and ${table.waiting}`, { id, attempts })
      .execute();
    return affected === 1;
  }

  /** Deletes items in any state that were created before the retention time. */
  async deleteOld(stopping: AbortSignal): Promise<void> {
    const { table, retentionMs = Infinity } = this.options;
    const parameters = [new Date(this.services.clock.now().getTime() - retentionMs)];
    const old = { table: table.name, condition: 'created_at < $1', parameters, orderBy: 'created_at' };
    while ((await deleteBatch(this.services.dataSource, old)) === DELETE_BATCH_ROWS && !stopping.aborted);
  }

  /** After the end of the job: waits until each attempt has stored its result or given back its item. */
  async end(): Promise<void> {
    const grace = setTimeout(() => this.interruption.abort(), this.options.graceMs ?? 0);
    await this.allEnded();
    clearTimeout(grace);
  }

  /** Runs the job until nothing is due, and waits for all attempts. For tests. */
  async drain(): Promise<void> {
    do {
      await this.job.runOnce();
      await this.allEnded();
      await this.job.idle(); // each attempt that ended has woken the job
    } while (this.running.size > 0);
  }

  private get job() {
    return this.services.jobs.get(this.options.job);
  }

  private async allEnded(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ end }) => end));
  }

  private claimFromEachOwner(
    { statement, lastOwner }: { statement: string; lastOwner: string },
    limit: number,
    claimed: readonly Item[],
  ): Promise<Item[]> {
    const { maxRunningPerOwner, perGroup } = this.options;
    const items = [...claimed, ...[...this.running.values()].map(({ item }) => item)];
    const busyOwners = reachedLimit(items, ({ owner }) => owner, maxRunningPerOwner);
    const busyGroups = perGroup ? reachedLimit(items, perGroup.idOf, perGroup.maxRunning) : [];
    const excluded = [...items.map(({ id }) => id), ...busyGroups]; // also items whose leases expire during their attempts
    const parameters = [this.services.clock.now(), lastOwner, busyOwners, excluded, limit];
    return this.services.dataSource.query<Item[]>(statement, parameters);
  }

  private async attemptItem(item: Item): Promise<void> {
    try {
      const record = await this.options.attempt(item, this.interruption.signal);
      await (record ? this.recordResult(record) : this.giveBack(item));
    } catch (error) {
      const { job } = this.options;
      this.log.warn({ msg: 'the result of an attempt was not recorded', job, itemId: item.id, err: error });
    }
  }

  private async recordResult(record: RecordResult): Promise<void> {
    const { signal } = this.interruption;
    for (let tries = 1; ; tries++) {
      try {
        return void (await this.services.unitOfWork.runInNewTransaction(record));
      } catch (error) {
        if (tries >= (this.options.recordTries ?? 1) || signal.aborted) throw error;
        await sleep(RECORD_RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Makes the item due again; the attempt is not counted. */
  private async giveBack(item: Item): Promise<void> {
    const { lease } = this.options.table;
    const due = lease.column === 'due_at' ? { dueAt: this.services.clock.now() } : {};
    await this.settle(item, { attempts: item.attempts - 1, ...due } as Partial<Row>);
  }
}

/** The keys that at least `limit` of the items have. */
function reachedLimit<Item>(items: readonly Item[], keyOf: (item: Item) => string, limit: number): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
}
