import type { Client, QueryResult } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { sqlState } from '../common/errors/sql-state.js';
import { type CollectedWrite, CollectedRows, WRITE_TOGETHER } from './collected-rows.js';
import { awaitInOrder, connectionOf, IDLE, rollBackAndRelease } from './connections.js';
import { commitError } from './database-error.js';
import { READ_TOGETHER, toParameter, toResults, type TransactionRead } from './transaction-read.js';

const statementsOfManagers = new WeakMap<EntityManager, TransactionStatements>();

/** The statements of a unit of work; undefined for a manager that no unit of work has created, as in some tests. */
export function statementsOf(manager: EntityManager): TransactionStatements | undefined {
  return statementsOfManagers.get(manager);
}

/**
 * The statements of one database transaction on its own connection. BEGIN is sent with or before the first statement; if the
 * transaction has only collected rows, they are sent as one statement without BEGIN. After the commit or the end of the
 * transaction a statement is refused, since it would be committed by itself.
 */
export class TransactionStatements {
  readonly rows = new CollectedRows();
  private isOver = false;
  /** The answer to BEGIN; undefined until it is sent. */
  private begun: Promise<unknown> | undefined;
  /** The outcome of the `claim` of the constructor: rejects if it refuses the work. Undefined until the claim is sent. */
  private granted: Promise<void> | undefined;
  /** Calls that have not ended. */
  private readonly pending = new Set<Promise<unknown>>();
  private ending: Promise<void> | undefined;

  private constructor(
    private readonly runner: QueryRunner,
    private readonly connection: Client,
    /**
     * A read that may refuse the work by throwing, such as the lock of an idempotency key. It is sent before everything else in
     * the transaction; undefined after that.
     */
    private claim: TransactionRead<unknown> | undefined,
  ) {}

  /** Takes a connection of the pool, which `end` returns. */
  static async open(
    dataSource: DataSource,
    claim: TransactionRead<unknown> | undefined,
  ): Promise<TransactionStatements> {
    const runner = dataSource.createQueryRunner();
    try {
      const statements = new TransactionStatements(runner, await connectionOf(runner), claim);
      await statements.replaceQuery();
      return statements;
    } catch (error) {
      await rollBackAndRelease(runner);
      throw error;
    }
  }

  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** Called by the function `collectRows`. */
  collect<Item>(write: CollectedWrite<Item>, items: readonly Item[]): void {
    this.requireOpen();
    for (const item of items) this.rows.collect(write, item);
  }

  /**
   * Called by the function `readTogether`. The reads see the collected rows, which are sent in the same round trip, except
   * rows that wait for the commit.
   */
  readTogether(reads: readonly TransactionRead<unknown>[]): Promise<unknown[]> {
    return this.call(() => (this.rows.count > 0 ? this.afterRows(() => this.read(reads)) : this.read(reads)));
  }

  /** Sends the claim if it was not sent. Throws if it is refused or BEGIN failed, even if the work has caught that error. */
  requireStarted(): Promise<void> {
    return this.call(() => this.waitForStart());
  }

  /**
   * Sends the collected rows and COMMIT in one round trip. If no statement was sent before, sends the rows without COMMIT,
   * since a single statement is a transaction. Throws if PostgreSQL answers COMMIT with ROLLBACK, which it does after a failed
   * statement whose error was swallowed.
   */
  async commit(): Promise<void> {
    if (this.pending.size > 0) throw new Error('A statement of the unit of work has not ended: await it.');
    this.requireOpen();
    this.isOver = true;
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError(); // the connection was lost before
    const isInTransaction = this.connection.getTransactionStatus() !== IDLE;
    if (isInTransaction !== Boolean(this.begun))
      throw new Error('The connection is in an unexpected transaction state.');
    const rows = this.rows.takeForCommit();
    if (!this.begun) return rows === undefined ? undefined : sendAlone(this.connection, rows);
    const { command } = await sendCommit(this.connection, rows);
    if (command !== 'COMMIT')
      throw new Error('A statement of the unit of work had failed, so PostgreSQL rolled it back.');
  }

  /** Rolls back a transaction that is not committed, and returns the connection to the pool. */
  end(): Promise<void> {
    this.ending ??= this.rollBack();
    return this.ending;
  }

  private async rollBack(): Promise<void> {
    this.isOver = true;
    // Pending calls may still send statements, which must not follow the rollback. Until BEGIN is answered, the connection
    // reports no transaction, and nothing would be rolled back.
    await Promise.allSettled([...this.pending, this.begun]);
    await rollBackAndRelease(this.runner);
  }

  /** Makes every statement of TypeORM pass through this object. */
  private async replaceQuery(): Promise<void> {
    statementsOfManagers.set(this.manager, this);
    const { runner } = this;
    const send = runner.query.bind(runner) as (...query: unknown[]) => Promise<unknown>;
    let isStarted = false;
    const sendInTransaction = async (...query: unknown[]): Promise<unknown> =>
      isStarted ? this.call(() => this.afterRows(() => send(...query))) : undefined;
    runner.query = sendInTransaction as QueryRunner['query'];
    await runner.startTransaction(); // TypeORM notes that a transaction is open; its BEGIN is not sent
    isStarted = true;
  }

  private requireOpen(): void {
    if (this.isOver) throw new Error('The unit of work is over.');
  }

  /** Calls `send`. Until its promise settles, the call is pending: `commit` throws, and `end` waits. */
  private async call<Result>(send: () => Promise<Result>): Promise<Result> {
    this.requireOpen();
    const answer = send();
    this.pending.add(answer);
    try {
      return await answer;
    } finally {
      this.pending.delete(answer);
    }
  }

  private async waitForStart(): Promise<void> {
    if (this.claim) await this.read([]);
    await this.granted;
    await this.begun;
  }

  /**
   * Sends the reads in one round trip, the first ones with BEGIN and the claim. They need not wait for the answer
   * to BEGIN, because they change no row.
   */
  private async read(reads: readonly TransactionRead<unknown>[]): Promise<unknown[]> {
    const { claim } = this;
    if (!claim) {
      await this.granted;
      return toResults(reads, await this.answersTo(reads));
    }
    this.claim = undefined;
    const answers = this.answersTo([claim, ...reads]);
    this.granted = answers.then(([answer]) => void claim.toResult(answer as never));
    await this.granted;
    return toResults(reads, (await answers).slice(1));
  }

  private async answersTo(reads: readonly TransactionRead<unknown>[]): Promise<never[]> {
    const begun = this.sendBegin();
    const rows = query(this.connection, READ_TOGETHER, toParameter(reads));
    const [, [row]] = await awaitInOrder(begun, rows);
    return (row as { answers: never[] }).answers;
  }

  /** Sends the collected rows that do not wait for the commit, and the statement, in one round trip. */
  private async afterRows<Result>(statement: () => Promise<Result>): Promise<Result> {
    await this.waitForStart();
    await this.sendBegin(); // waits, because the statement would be committed by itself if BEGIN failed
    const rows = this.rows.takeForStatement();
    if (rows === undefined) return statement();
    const written = query(this.connection, WRITE_TOGETHER, rows);
    const [, result] = await awaitInOrder(written, statement());
    return result;
  }

  /** Sends BEGIN once, and returns the promise of its answer. */
  private sendBegin(): Promise<unknown> {
    if (!this.begun) {
      this.begun = this.connection.query('begin');
      this.begun.catch(() => undefined); // reported by the statement
    }
    return this.begun;
  }
}

/** Sends a statement at once; TypeORM would wait for its own steps first. Throws QueryFailedError, as TypeORM does. */
async function query(connection: Client, sql: string, parameter: string): Promise<unknown[]> {
  try {
    const { rows } = await connection.query<object>(sql, [parameter]);
    return rows;
  } catch (error) {
    throw new QueryFailedError(sql, undefined, error as Error);
  }
}

/** Sends the rows of a transaction that has sent nothing else. If the connection is lost, they may have been committed. */
async function sendAlone(connection: Client, rows: string): Promise<void> {
  await query(connection, WRITE_TOGETHER, rows).catch((error: unknown) => {
    throw commitError(error);
  });
}

/** Returns the answer to COMMIT, which is ROLLBACK after a failed statement. Throws the error of the rows or of the commit. */
async function sendCommit(connection: Client, rows: string | undefined): Promise<QueryResult> {
  const written = rows === undefined ? undefined : query(connection, WRITE_TOGETHER, rows);
  const [writing, committing] = await Promise.allSettled([written, connection.query('commit')]);
  if (writing.status === 'rejected') {
    // With a SQLSTATE, PostgreSQL has refused the rows and rolls back. Without one, the connection is lost, and PostgreSQL may
    // have committed.
    throw sqlState(writing.reason) === undefined ? commitError(writing.reason) : writing.reason;
  }
  if (committing.status === 'rejected') throw commitError(committing.reason);
  return committing.value;
}
