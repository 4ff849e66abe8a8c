import type { EntityTarget } from 'typeorm';
import type { AppConfig } from '../config/app-config.js';
import type { Tx } from '../database/tx.js';
import type { QueueTable } from './claim-statement.js';
import type { JobOptions } from './job.decorator.js';

/** A row that this process has claimed for one attempt. */
export interface ClaimedItem {
  readonly id: string;
  /** Includes this attempt. Identifies the claim: a later one, after the lease has expired, writes a higher number. */
  readonly attempts: number;
  readonly owner: string;
}

/** Columns of each table of a queue; `leasedUntil` if its leases are in real time. */
export interface QueueRow {
  id: string;
  attempts: number;
  dueAt: Date;
  leasedUntil?: Date | null;
}

/**
 * Stores the result of an attempt. `settle` ends the claim and changes columns of the item; it returns false and changes nothing
 * if the lease has expired and another process has claimed or settled the item, or if it was deleted.
 */
export type RecordResult<Row> = (
  tx: Tx,
  settle: (changes: Partial<Row>) => Promise<boolean>,
) => Promise<unknown>;

export interface QueueOptions<Row extends QueueRow, Item extends ClaimedItem> {
  /** The name of the job that starts attempts in every process. With `retentionDays` the job `old-<name>` deletes old items. */
  readonly name: string;
  /** What an attempt does, for operators. */
  readonly purpose: string;
  /** The interval of the job. The end of an attempt starts the job, too, if a limit left out due items or the item was given back. */
  readonly everySeconds: number;
  readonly entity: EntityTarget<Row>;
  readonly table: QueueTable;
  /** Attempts of a process at once. */
  readonly maxRunning: number;
  readonly maxRunningPerOwner: number;
  /** A second limit: how many attempts run at once for items of one group, such as the deliveries to one webhook. */
  readonly perGroup?: { readonly idOf: (item: Item) => string; readonly maxRunning: number };
  readonly isOn?: (config: AppConfig) => boolean;
  /** How often at most the result is written, three seconds apart, until that succeeds; by default once. The lease has to be longer. */
  readonly recordTries?: number;
  /** How long a shutdown waits before it interrupts attempts; by default not at all. */
  readonly graceMs?: number;
  readonly retentionDays?: number;
}

/** Makes one attempt. Returns undefined to give the item back, due at once and with the attempt not counted, as after an interruption. */
export type AttemptMethod<Row, Item> = (
  item: Item,
  interrupted: AbortSignal,
) => Promise<RecordResult<Row> | undefined>;

const QUEUE = Symbol('queue');

/** Marks a method of a provider that makes the attempts of a `WorkQueue`. */
export function Queue<Row extends QueueRow, Item extends ClaimedItem>(options: QueueOptions<Row, Item>) {
  return <Method extends AttemptMethod<Row, Item>>(
    _prototype: object,
    _name: string,
    { value }: TypedPropertyDescriptor<Method>,
  ): void => Reflect.defineMetadata(QUEUE, options, value as Method);
}

export function queueOptionsOf(method: object): QueueOptions<QueueRow, ClaimedItem> | undefined {
  return Reflect.getMetadata(QUEUE, method) as QueueOptions<QueueRow, ClaimedItem> | undefined;
}

/** The job that starts attempts, and the one that deletes old items. */
export function jobsOfQueue(options: QueueOptions<QueueRow, ClaimedItem>): JobOptions[] {
  const { name, purpose, everySeconds, retentionDays: days, table } = options;
  const oldPurpose = `Deletes rows of the table ${table.name} that are older than ${days} days`;
  const deletion = { name: `old-${name}`, purpose: oldPurpose, everySeconds: 600, exclusive: true } as const;
  return [{ name, purpose, everySeconds }, ...(days === undefined ? [] : [deletion])];
}
