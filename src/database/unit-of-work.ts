import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from './database-clock.js';
import { sqlState } from '../common/errors/sql-state.js';
import { withSpan } from '../observability/spans.js';
import { OpenTransaction } from './open-transaction.js';
import type { TransactionRead } from './transaction-read.js';
import { statementsOf } from './transaction-statements.js';
import type { Tx } from './tx.js';

export type { Tx };

/** The record of a request's response, written in the transaction of its unit of work. */
export interface IdempotentRecord<Result> {
  /** Locks the request's key and reads a stored response, before the work. An error of its `toResult` ends the request. */
  readonly claim: TransactionRead<unknown>;
  /** Adds the response to the collected rows, which are sent together with COMMIT. */
  collectResponse(tx: Tx, response: Result): Promise<void>;
}

const log = new Logger('UnitOfWork');
const ATTEMPTS = 3;
const JITTER_MS = 30; // for a random delay, so that transactions that have deadlocked do not meet again
/** Serialization failure and deadlock, after which PostgreSQL has rolled the transaction back. */
const RETRYABLE = new Set(['40001', '40P01']);

// All instances of UnitOfWork share it, because each AsyncLocalStorage slows down all promises of the process.
const transactionOfRequest = new AsyncLocalStorage<OpenTransaction>();

/**
 * Opens the transactions in which modules write; only single statements, such as leases and clean-ups, are executed without it.
 * Throws SERVICE_UNAVAILABLE while the process's clock is wrong.
 */
@Injectable()
export class UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly clock?: DatabaseClock, // absent in fixtures and benchmarks
  ) {}

  /**
   * Runs `work` in one transaction, again after a deadlock or a serialization failure. Inside `runIdempotent` the commit
   * happens after the request has returned. The call must therefore be the last step of the service: later steps would run
   * before the commit.
   */
  async runInTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const transaction = transactionOfRequest.getStore();
    // Work that outlives its request has a transaction of its own.
    if (!transaction || transaction.isOver) return this.runInNewTransaction(work);
    this.clock?.requireRight();
    return withSpan('unit of work', () => transaction.run((manager) => work(manager as Tx)));
  }

  /** Runs `work` in a transaction of its own, which is committed even if the request fails afterwards. */
  async runInNewTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    this.clock?.requireRight();
    return withSpan('unit of work', () =>
      withRetries(async () => {
        let tx: Tx | undefined;
        const transaction = new OpenTransaction(this.dataSource);
        try {
          const result = await transaction.run((manager) => {
            tx = manager as Tx;
            return work(tx);
          });
          await transaction.commit();
          if (tx) runAfterCommitCallbacks(tx);
          return result;
        } finally {
          await transaction.end();
        }
      }),
    );
  }

  /**
   * Runs `request` and stores its response in the same transaction as its unit of work. The transaction begins with the
   * unit of work, not with the request. After a deadlock or a serialization failure the whole request runs again, because its
   * collected rows are sent after it has returned.
   */
  async runIdempotent<Result>(
    request: () => Promise<Result>,
    record: IdempotentRecord<Result>,
  ): Promise<Result> {
    this.clock?.requireRight();
    return withRetries(() => this.runIdempotentOnce(request, record));
  }

  private async runIdempotentOnce<Result>(
    request: () => Promise<Result>,
    record: IdempotentRecord<Result>,
  ): Promise<Result> {
    let tx: Tx | undefined;
    const transaction = new OpenTransaction(this.dataSource, record.claim);
    try {
      const response = await transactionOfRequest.run(transaction, request);
      await transaction.commit((manager) => {
        tx = manager as Tx;
        return record.collectResponse(tx, response);
      });
      if (tx) runAfterCommitCallbacks(tx);
      return response;
    } finally {
      await transaction.end();
    }
  }
}

/**
 * Runs a part of a unit of work that may fail without ending the rest. `work` must await its statements: after the end of the
 * savepoint they belong to the unit of work. Uses plain SQL: if a savepoint cannot be created, TypeORM would roll back the
 * whole transaction and run later statements outside of any transaction.
 */
export async function savepoint<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const callbacksBefore = afterCommitCallbacks.get(tx)?.length ?? 0;
  await tx.query('savepoint part'); // sends the rows that were collected before the part
  const rows = statementsOf(tx)?.rows;
  const rowsBefore = rows?.count ?? 0;
  try {
    const result = await work(tx);
    await tx.query('release savepoint part'); // sends the rows of the part; if they fail, only the part ends
    return result;
  } catch (error) {
    afterCommitCallbacks.get(tx)?.splice(callbacksBefore);
    rows?.dropAfter(rowsBefore);
    // Without the rollback every later statement would fail. The first error is the one to report.
    await tx.query('rollback to savepoint part').catch(() => undefined);
    throw error;
  }
}

const afterCommitCallbacks = new WeakMap<Tx, (() => void)[]>();

/** Calls `callback` after the transaction has been committed, for example to count in metrics. */
export function afterCommit(tx: Tx, callback: () => void): void {
  afterCommitCallbacks.set(tx, [...(afterCommitCallbacks.get(tx) ?? []), callback]);
}

function runAfterCommitCallbacks(tx: Tx): void {
  for (const callback of afterCommitCallbacks.get(tx) ?? []) {
    try {
      callback();
    } catch (error) {
      log.error({ msg: 'a callback after a commit failed', err: error }); // the request has succeeded
    }
  }
  afterCommitCallbacks.delete(tx);
}

/** Runs `work` again after a serialization failure or a deadlock. */
async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * JITTER_MS * attempt));
    }
  }
}
