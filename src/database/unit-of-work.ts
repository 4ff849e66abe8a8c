import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from './database-clock.js';
import { sqlState } from '../common/errors/sql-state.js';
import { withSpan } from '../observability/spans.js';
import { OpenTransaction, transactionOf, type Statement } from './open-transaction.js';
import type { Tx } from './tx.js';
import { WaitingCommits } from './waiting-commits.js';

export type { Tx };

/** How the response of a request is stored in the transaction of its unit of work. */
export interface IdempotentRecord<Result> {
  /** The first statement of the transaction: locks the request's key. It fails if another request has the key. */
  readonly claim: Statement;
  /** Sends the response as the last statement before COMMIT. */
  storeResponse(tx: Tx, response: Result): void;
}

const log = new Logger('UnitOfWork');
const ATTEMPTS = 3;
const JITTER_MS = 30; // for a random delay, so that transactions that have deadlocked do not meet again
/** Serialization failure and deadlock, after which PostgreSQL has rolled the transaction back. */
const RETRYABLE = new Set(['40001', '40P01']);

// All instances of UnitOfWork share it, because each AsyncLocalStorage slows down all promises of the process.
const transactionOfRequest = new AsyncLocalStorage<RequestTransaction>();

/**
 * Opens the transactions in which modules write; only single statements, such as leases and clean-ups, are executed without it.
 * Throws SERVICE_UNAVAILABLE while the process's clock is wrong, and while commits wait for a standby.
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
    const request = transactionOfRequest.getStore();
    // Work that outlives its request has a transaction of its own.
    if (!request || request.isOver) return this.runInNewTransaction(work);
    this.clock?.assertInSync();
    return withSpan('unit of work', () => request.run(work));
  }

  /** Runs `work` in a transaction of its own, which is committed even if the request fails afterwards. */
  async runInNewTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    this.clock?.assertInSync();
    return this.runDespiteWrongClock(work);
  }

  /** As `runInNewTransaction`, also while the process's clock is wrong: for the alert that reports it. */
  async runDespiteWrongClock<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return withSpan('unit of work', () =>
      withRetries(async () => {
        const transaction = await this.open();
        try {
          const result = await work(transaction.tx);
          await commit(transaction);
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
   * statements can fail after it has returned.
   */
  async runIdempotent<Result>(
    request: () => Promise<Result>,
    record: IdempotentRecord<Result>,
  ): Promise<Result> {
    this.clock?.assertInSync();
    return withRetries(async () => {
      const transaction = new RequestTransaction(() => this.open(record.claim));
      try {
        const response = await transactionOfRequest.run(transaction, request);
        await transaction.commit((tx) => record.storeResponse(tx, response));
        return response;
      } finally {
        await transaction.end();
      }
    });
  }

  private async open(claim?: Statement): Promise<OpenTransaction> {
    await WaitingCommits.requireNone(this.dataSource);
    return OpenTransaction.open(this.dataSource, claim);
  }
}

/** The transaction of a request with an idempotency key. It stays open after the work, until the response can be stored. */
class RequestTransaction {
  private transaction: OpenTransaction | undefined;
  private isRunning = false;
  isOver = false;

  constructor(private readonly open: () => Promise<OpenTransaction>) {}

  /** If `work` throws, rolls back; `run` may then be called again. */
  async run<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    if (this.isRunning || this.transaction) {
      throw new Error(
        'A request with an idempotency key may call UnitOfWork.runInTransaction once. Use runInNewTransaction for another unit of work.',
      );
    }
    this.isRunning = true;
    try {
      this.transaction = await this.open();
      this.requireNotOver();
      const result = await work(this.transaction.tx);
      this.requireNotOver();
      return result;
    } catch (error) {
      await this.transaction?.end();
      this.transaction = undefined;
      throw error;
    } finally {
      this.isRunning = false;
    }
  }

  /** Without work, or after work whose error the caller has handled, commits only what `sendLast` sends. */
  async commit(sendLast: (tx: Tx) => void): Promise<void> {
    if (this.isRunning) throw new Error('The unit of work has not finished: await it.');
    this.transaction ??= await this.open();
    sendLast(this.transaction.tx);
    await commit(this.transaction);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.transaction?.end();
  }

  private requireNotOver(): void {
    if (this.isOver) throw new Error('The request has ended before its unit of work: await it.');
  }
}

/**
 * Runs a part of a unit of work that may fail without ending the rest. Uses plain SQL: if a savepoint cannot be created, TypeORM
 * would roll back the whole transaction and run later statements outside of any transaction.
 */
export async function savepoint<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  await tx.query('savepoint part');
  const dropPart = transactionOf(tx).startPart();
  try {
    const result = await work(tx);
    await tx.query('release savepoint part'); // fails if a statement of the part has failed
    return result;
  } catch (error) {
    // Without the rollback every later statement would fail. The release keeps an outer savepoint, which has the same name,
    // reachable. The first error is the one to report.
    await tx.query('rollback to savepoint part; release savepoint part').then(dropPart, () => undefined);
    throw error;
  }
}

async function commit(transaction: OpenTransaction): Promise<void> {
  await transaction.commit();
  for (const callback of transaction.callbacksAfterCommit) {
    try {
      callback();
    } catch (error) {
      log.error({ msg: 'a callback after a commit failed', err: error }); // the transaction is committed
    }
  }
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
