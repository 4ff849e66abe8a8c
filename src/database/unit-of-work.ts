import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DatabaseClock } from './database-clock.js';
import { sqlState } from '../common/errors/sql-state.js';
import { spanned } from '../observability/spans.js';
import { OpenTransaction } from './open-transaction.js';

declare const inTransaction: unique symbol;

/** An open database transaction, the first argument of every write. Only `UnitOfWork` creates it. */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** The record of a request's response, written in the transaction of its unit of work. */
export interface IdempotentRecord<Result> {
  /** Called before the work. An error that it throws ends the request. */
  begin(tx: Tx): Promise<void>;
  /** Called with the response, before the commit. */
  complete(tx: Tx, response: Result): Promise<void>;
}

const ATTEMPTS = 3;
const JITTER_MS = 30;
const RETRYABLE = new Set(['40001', '40P01']); // serialization failure, deadlock: PostgreSQL rolled back

// One per process: every further AsyncLocalStorage slows down all promises of the process.
const transactionOfRequest = new AsyncLocalStorage<OpenTransaction>();

/** The only way to write to the database. Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
@Injectable()
export class UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly clock?: DatabaseClock,
  ) {}

  /**
   * Runs `work` in one transaction. Inside `runIdempotent` the commit happens later, together with the stored response, so
   * that this call must be the last step of the service.
   */
  async runInTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const held = transactionOfRequest.getStore();
    if (!held || held.isOver) return this.runInNewTransaction(work);
    this.clock?.requireRight();
    return spanned('unit of work', () => retrying(() => held.run((manager) => work(manager as Tx))));
  }

  /** Runs `work` in a transaction of its own, which is committed even if the request fails afterwards. */
  async runInNewTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    this.clock?.requireRight();
    return spanned('unit of work', () =>
      retrying(async () => {
        let tx: Tx | undefined;
        const own = new OpenTransaction(this.dataSource);
        try {
          const result = await own.run((manager) => work((tx = manager as Tx)));
          await own.commit(writeDeferredItems);
          if (tx) runAfterCommitCallbacks(tx);
          return result;
        } finally {
          await own.end();
        }
      }),
    );
  }

  /**
   * Runs `request` and stores its response in the same transaction as its unit of work. The transaction begins with the
   * unit of work, not with the request.
   */
  async runIdempotent<Result>(
    request: () => Promise<Result>,
    record: IdempotentRecord<Result>,
  ): Promise<Result> {
    this.clock?.requireRight();
    let tx: Tx | undefined;
    const held = new OpenTransaction(this.dataSource, (manager) => record.begin(manager as Tx));
    try {
      const response = await transactionOfRequest.run(held, request);
      await held.commit(async (manager) => {
        await writeDeferredItems(manager);
        await record.complete((tx = manager as Tx), response);
      });
      if (tx) runAfterCommitCallbacks(tx);
      return response;
    } finally {
      await held.end();
    }
  }
}

/**
 * Runs a part of a unit of work that may fail without ending the rest. Uses plain SQL: if a savepoint cannot be created,
 * TypeORM would roll back the whole transaction and run later statements outside of any transaction.
 */
export async function savepoint<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const before = afterCommitCallbacks.get(tx)?.length ?? 0;
  const deferredBefore = deferredItems.get(tx)?.length ?? 0;
  await tx.query('savepoint part');
  try {
    const result = await work(tx);
    await tx.query('release savepoint part');
    return result;
  } catch (error) {
    afterCommitCallbacks.get(tx)?.splice(before);
    deferredItems.get(tx)?.splice(deferredBefore);
    await tx.query('rollback to savepoint part').catch(() => undefined); // otherwise every later statement fails
    throw error;
  }
}

const afterCommitCallbacks = new WeakMap<Tx, (() => void)[]>();

/** Calls `callback` after the transaction has been committed, for example to count in metrics. */
export function afterCommit(tx: Tx, callback: () => void): void {
  afterCommitCallbacks.set(tx, [...(afterCommitCallbacks.get(tx) ?? []), callback]);
}

function runAfterCommitCallbacks(tx: Tx): void {
  for (const callback of afterCommitCallbacks.get(tx) ?? []) callback();
  afterCommitCallbacks.delete(tx);
}

/** Writes the items that a transaction has collected. Called once, as the last work before the commit: it must not collect items. */
export type DeferredWrite<Item> = (tx: Tx, items: readonly Item[]) => Promise<void>;

interface DeferredItem {
  readonly write: DeferredWrite<unknown>;
  readonly item: unknown;
}

const deferredItems = new WeakMap<Tx, DeferredItem[]>();

/**
 * Collects an item that `write` writes before the commit, together with the others of this transaction, so that many items
 * cost one statement. A savepoint that is rolled back drops its items.
 */
export function beforeCommit<Item>(tx: Tx, write: DeferredWrite<Item>, item: Item): void {
  const items = deferredItems.get(tx) ?? [];
  items.push({ write: write as DeferredWrite<unknown>, item });
  deferredItems.set(tx, items);
}

async function writeDeferredItems(manager: EntityManager): Promise<void> {
  const tx = manager as Tx;
  const items = deferredItems.get(tx) ?? [];
  deferredItems.delete(tx);
  for (const write of new Set(items.map((one) => one.write)))
    await write(
      tx,
      items.filter((one) => one.write === write).map(({ item }) => item),
    );
}

async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * JITTER_MS * attempt));
    }
  }
}
