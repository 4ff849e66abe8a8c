import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/durations.js';
import { AppConfig } from '../config/app-config.js';
import { DatabaseClock } from '../database/database-clock.js';
import { prepared } from '../database/prepared.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { claimStatement, LEAST_OWNER } from './claim-statement.js';
import { DELETE_BATCH_ROWS, deleteBatch } from './delete-batch.js';
import type { AttemptMethod, ClaimedItem, QueueOptions, QueueRow, RecordResult } from './queue.decorator.js';
import type { ScheduledJob } from './scheduled-job.js';

const RECORD_RETRY_MS = 3000;

/** What queues use. */
@Injectable()
export class QueueResources {
  constructor(
    readonly dataSource: DataSource,
    readonly unitOfWork: UnitOfWork,
    readonly clock: Clock,
    readonly databaseClock: DatabaseClock,
    readonly config: AppConfig,
  ) {}
}

/**
 * A table of items, each of which needs one successful attempt. Every process claims items under leases, so that those of a
 * process that died are attempted again: at least once. Owners take turns, one item at a time. No row is locked and no
 * connection held during an attempt; the end of one wakes the job, which starts the items that a limit has excluded.
 */
export class WorkQueue {
  private readonly log = new Logger('WorkQueue');
  /** The claimed items by their ids, until their attempts have ended. */
  private readonly running = new Map<string, ClaimedItem>();
  private readonly attempts = new Set<Promise<void>>();
  private readonly leastOwner: string;
  /** For each class of items, the most urgent first, the owner whose turn was last. */
  private readonly turns: { readonly statement: string; lastOwner: string }[];
  /** The last claims may have left out due items because of a limit. */
  private hasExcluded = false;
  private readonly interruption = new AbortController();

  /** `job` is a function, because the job calls the queue. */
  constructor(
    private readonly options: QueueOptions<QueueRow, ClaimedItem>,
    private readonly attempt: AttemptMethod<QueueRow, ClaimedItem>,
    private readonly resources: QueueResources,
    private readonly job: () => ScheduledJob,
  ) {
    const { classes = ['true'], owner } = options.table;
    this.leastOwner = LEAST_OWNER[owner.type];
    this.turns = classes.map((condition) => ({
      statement: prepared(claimStatement(options.table, condition)),
      lastOwner: this.leastOwner,
    }));
  }

  /** Starts attempts until nothing is due or the limits are reached. Does not wait for their ends. */
  async startDue(stopping: AbortSignal): Promise<void> {
    if (this.options.isOn?.(this.resources.config) ?? true)
      await this.claimDue((item) => this.startAttempt(item), stopping);
  }

  /**
   * Claims as many due items as may be started, and calls `start` with each of them before it claims others. Each statement claims at
   * most one item per owner, beginning after the owner whose turn was last. Claims nothing while the clock of this process, which
   * decides what is due, is wrong (DEC-26).
   */
  async claimDue(start: (item: ClaimedItem) => void, stopping?: AbortSignal): Promise<void> {
    this.hasExcluded = false;
    for (const turn of this.turns) {
      for (let isEnd = false; !isEnd;) {
        const free = this.options.maxRunning - this.running.size;
        this.hasExcluded ||= free <= 0;
        if (free <= 0 || stopping?.aborted || !this.resources.databaseClock.isInSync) return;
        const items = await this.claimFromEachOwner(turn, free);
        for (const item of items) {
          this.running.set(item.id, item);
          start(item);
        }
        isEnd = items.length === 0 && turn.lastOwner === this.leastOwner; // nothing more is due
        // Fewer items than asked for: the last owner was reached, and the next turn is that of the first one.
        turn.lastOwner = items.length < free ? this.leastOwner : (items.at(-1) as ClaimedItem).owner;
      }
    }
  }

  /** Deletes items in any state that were created before the retention time. */
  async deleteOld(stopping: AbortSignal): Promise<void> {
    const { dataSource, clock } = this.resources;
    const {
      retentionDays = Infinity,
      table: { name: table },
    } = this.options;
    const parameters = [new Date(clock.now().getTime() - retentionDays * DAY_MS)];
    const old = { table, condition: 'created_at < $1', parameters, orderBy: 'created_at' };
    while ((await deleteBatch(dataSource, old)) === DELETE_BATCH_ROWS && !stopping.aborted);
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
      await this.job().runOnce();
      await this.allEnded();
      await this.job().idle(); // attempts that ended may have woken the job
    } while (this.running.size > 0);
  }

  private async allEnded(): Promise<void> {
    await Promise.all(this.attempts);
  }

  private startAttempt(item: ClaimedItem): void {
    const attempt = this.attemptItem(item).then((isDueAgain) => {
      this.running.delete(item.id);
      this.attempts.delete(attempt);
      if (isDueAgain || this.hasExcluded) this.job().wake();
    });
    this.attempts.add(attempt);
  }

  private claimFromEachOwner(
    { statement, lastOwner }: { statement: string; lastOwner: string },
    limit: number,
  ): Promise<ClaimedItem[]> {
    const { maxRunningPerOwner, perGroup } = this.options;
    const items = [...this.running.values()];
    const busyOwners = reachedLimit(items, ({ owner }) => owner, maxRunningPerOwner);
    const busyGroups = perGroup ? reachedLimit(items, perGroup.idOf, perGroup.maxRunning) : [];
    this.hasExcluded ||= busyOwners.length > 0 || busyGroups.length > 0;
    // Running items are excluded as well, because their leases can expire during the attempts. The parameter also has the ids of busy groups.
    const excluded = [...items.map(({ id }) => id), ...busyGroups];
    const parameters = [this.resources.clock.now(), lastOwner, busyOwners, excluded, limit];
    return this.resources.dataSource.query(statement, parameters);
  }

  /** Returns whether the item was given back. */
  private async attemptItem(item: ClaimedItem): Promise<boolean> {
    try {
      const record = await this.attempt(item, this.interruption.signal);
      await (record ? this.recordResult(item, record) : this.giveBack(item));
      return record === undefined;
    } catch (error) {
      const { name: job } = this.options;
      this.log.warn({ msg: 'the result of an attempt was not recorded', job, itemId: item.id, err: error });
      return false;
    }
  }

  private async recordResult(item: ClaimedItem, record: RecordResult<QueueRow>): Promise<void> {
    const { signal } = this.interruption;
    const work = (tx: Tx) => record(tx, (changes) => this.settle(tx, item, changes));
    for (let tries = 1; ; tries++) {
      try {
        return void (await this.resources.unitOfWork.runInNewTransaction(work));
      } catch (error) {
        if (tries >= (this.options.recordTries ?? 1) || signal.aborted) throw error;
        await sleep(RECORD_RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Makes the item due again; the attempt is not counted. */
  private async giveBack(item: ClaimedItem): Promise<void> {
    const { clock, dataSource } = this.resources;
    const due = this.options.table.lease.column === 'due_at' ? { dueAt: clock.now() } : {};
    await this.settle(dataSource, item, { attempts: item.attempts - 1, ...due });
  }

  private async settle(
    database: Pick<Tx, 'createQueryBuilder'>,
    { id, attempts }: ClaimedItem,
    changes: Partial<QueueRow>,
  ): Promise<boolean> {
    const { entity, table } = this.options;
    const lease = table.lease.column === 'leased_until' ? { leasedUntil: null } : {};
    const { affected } = await database
      .createQueryBuilder()
      .update(entity)
      .set({ ...changes, ...lease })
      .where(`id = :id and attempts = :attempts and ${table.waiting}`, { id, attempts })
      .execute();
    return affected === 1;
  }
}

/** The keys that at least `limit` of the items have. */
function reachedLimit<Item>(items: readonly Item[], keyOf: (item: Item) => string, limit: number): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= limit).map(([key]) => key);
}
