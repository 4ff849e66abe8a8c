import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DatabaseClock } from './database-clock.js';
import { sqlState } from '../common/errors/sql-state.js';
import { spanned } from '../observability/spans.js';
import { OpenTransaction } from './open-transaction.js';

declare const inTransaction: unique symbol;

/** An open database transaction: what every write takes as its first argument. Only `UnitOfWork` makes one. */
export type Tx = EntityManager & { readonly [inTransaction]: true };

/** What is written beside the unit of work of a request, in its transaction. */
export interface IdempotentRecord<EnvelopedResponse> {
  /** Before the work; what it throws, the work throws. */
  begin(tx: Tx): Promise<void>;
  /** When the request has its answer, before the commit. */
  complete(tx: Tx, answer: EnvelopedResponse): Promise<void>;
}

const ATTEMPTS = 3;
const JITTER_MS = 30;
const RETRYABLE = new Set(['40001', '40P01']); // serialization failure, deadlock: nothing was done

// One for the process: each AsyncLocalStorage that was ever used makes every promise of the process dearer.
const ofRequest = new AsyncLocalStorage<OpenTransaction>();

/** The one way to write: all of `work` happens or nothing. Throws SERVICE_UNAVAILABLE while the process's clock is wrong. */
@Injectable()
export class UnitOfWork {
  constructor(
    private readonly dataSource: DataSource,
    @Optional() private readonly clock?: DatabaseClock,
  ) {}

  /** Inside `recorded` it is committed with the request's answer: the last thing a service does. */
  async runInTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const held = ofRequest.getStore();
    if (!held || held.isOver) return this.runInNewTransaction(work);
    this.clock?.requireRight();
    return spanned('unit of work', () => retrying(() => held.run((manager) => work(manager as Tx))));
  }

  /** As `run`, but whatever becomes of the request: what it prepares for itself and for others, and keeps. */
  async runInNewTransaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    this.clock?.requireRight();
    return spanned('unit of work', () =>
      retrying(async () => {
        let tx: Tx | undefined;
        const own = new OpenTransaction(this.dataSource);
        try {
          const result = await own.run((manager) => work((tx = manager as Tx)));
          await own.commit();
          if (tx) tellCommitted(tx);
          return result;
        } finally {
          await own.end();
        }
      }),
    );
  }

  /**
   * Does `request`, and keeps a record of its answer in the same transaction as its unit of work: both are there or
   * neither. The transaction is open from the beginning of `run` to the record, and not while the request prepares.
   */
  async runIdempotent<EnvelopedResponse>(
    request: () => Promise<EnvelopedResponse>,
    record: IdempotentRecord<EnvelopedResponse>,
  ): Promise<EnvelopedResponse> {
    this.clock?.requireRight();
    let tx: Tx | undefined;
    const held = new OpenTransaction(this.dataSource, (manager) => record.begin(manager as Tx));
    try {
      const answer = await ofRequest.run(held, request);
      await held.commit((manager) => record.complete((tx = manager as Tx), answer));
      if (tx) tellCommitted(tx);
      return answer;
    } finally {
      await held.end();
    }
  }
}

/**
 * Part of a unit of work that may fail without the rest. In SQL of its own: when a savepoint can not be made, TypeORM
 * rolls the whole transaction back and lets the rest of it go on outside of any.
 */
export async function savepoint<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const before = committed.get(tx)?.length ?? 0;
  await tx.query('savepoint part');
  try {
    const result = await work(tx);
    await tx.query('release savepoint part');
    return result;
  } catch (error) {
    committed.get(tx)?.splice(before);
    await tx.query('rollback to savepoint part').catch(() => undefined); // or all that follows fails, and the commit
    throw error;
  }
}

const committed = new WeakMap<Tx, (() => void)[]>();

/** For what only counts: `tell` is called when the transaction has been committed, and not at all otherwise. */
export function afterCommit(tx: Tx, tell: () => void): void {
  committed.set(tx, [...(committed.get(tx) ?? []), tell]);
}

function tellCommitted(tx: Tx): void {
  for (const tell of committed.get(tx) ?? []) tell();
  committed.delete(tx);
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
