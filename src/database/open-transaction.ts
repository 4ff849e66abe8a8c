import type { Client, QueryResult } from 'pg';
import { QueryFailedError, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { sqlState } from '../common/errors/sql-state.js';
import { CollectedRows, WRITE_TOGETHER } from './collected-rows.js';
import { awaitInOrder, connectionOf, rollBackAndRelease } from './connections.js';
import { commitError } from './database-error.js';
import { READ_TOGETHER, toParameter, toResults, type TransactionRead } from './transaction-read.js';

const openTransactions = new WeakMap<EntityManager, OpenTransaction>();

/** The transaction of a unit of work; undefined for a manager that no unit of work has created. */
export function openTransactionOf(manager: EntityManager): OpenTransaction | undefined {
  return openTransactions.get(manager);
}

/**
 * A database transaction on its own connection. It stays open after its work, so that the response of an idempotent
 * request is stored in the same transaction before the commit.
 */
export class OpenTransaction {
  readonly rows = new CollectedRows();
  private runner: QueryRunner | undefined;
  /** `working` while the work runs; `waiting` for the commit after it; `over` after `end`. */
  private state: 'free' | 'working' | 'waiting' | 'over' = 'free';
  /** The answer to BEGIN; undefined until it is sent. */
  private begun: Promise<unknown> | undefined;
  /** The claim until it is sent. */
  private pendingClaim: TransactionRead<unknown> | undefined;
  /** Resolves when the claim is granted; rejects if it is refused. */
  private granted: Promise<void> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    /** Read before everything else in the transaction. */
    private readonly claim?: TransactionRead<unknown>,
  ) {}

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Runs `work` and leaves the transaction open. If `work` throws, the transaction is rolled back and `run` may be called again. */
  async run<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    if (this.state !== 'free') {
      throw new Error(
        'An idempotent request runs one unit of work. Use UnitOfWork.runInNewTransaction for another one.',
      );
    }
    this.state = 'working';
    const runner = this.dataSource.createQueryRunner();
    this.runner = runner;
    try {
      await this.begin(runner);
      const result = await work(runner.manager);
      await this.requireStarted();
      this.state = 'waiting';
      return result;
    } catch (error) {
      await this.releaseConnection();
      this.rows.dropAfter(0);
      this.state = 'free';
      throw error;
    }
  }

  /** Called through `readTogether`. The reads see the collected rows, which are sent in the same round trip. */
  async readTogether(reads: readonly TransactionRead<unknown>[]): Promise<unknown[]> {
    return this.rows.count > 0 ? this.afterRows(() => this.read(reads)) : this.read(reads);
  }

  /**
   * Sends the collected rows and COMMIT in one round trip; if nothing else was sent, the rows alone, since a single statement is
   * a transaction. Throws if PostgreSQL answers COMMIT with ROLLBACK, which it does after a failed statement whose error was
   * swallowed. `collectLast` may collect further rows, but not read.
   */
  async commit(
    collectLast: (manager: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<void> {
    if (this.state === 'free') await this.run(async () => undefined);
    const { runner } = this;
    if (this.state !== 'waiting' || !runner) throw new Error('The unit of work has not finished: await it.');
    await collectLast(runner.manager);
    const connection = await this.connection();
    const rows = this.rows.takeForCommit();
    if (!this.begun) return rows === undefined ? undefined : sendAlone(connection, rows);
    const { command } = await sendCommit(connection, rows);
    if (command !== 'COMMIT')
      throw new Error('A statement of the unit of work had failed, so PostgreSQL rolled it back.');
  }

  /** Rolls back what was not committed and returns the connection to the pool. */
  async end(): Promise<void> {
    await this.releaseConnection();
    this.state = 'over';
  }

  /** From now on every statement of the runner passes through `beforeStatement`, and the first one sends BEGIN. */
  private async begin(runner: QueryRunner): Promise<void> {
    this.begun = undefined;
    this.granted = undefined;
    this.pendingClaim = this.claim;
    openTransactions.set(runner.manager, this);
    await connectionOf(runner); // fails here if the pool has none
    const send = runner.query.bind(runner) as (...call: unknown[]) => Promise<unknown>;
    let isStarted = false;
    const sendInTransaction = async (...call: unknown[]): Promise<unknown> =>
      isStarted ? this.afterRows(() => send(...call)) : undefined;
    runner.query = sendInTransaction as QueryRunner['query'];
    await runner.startTransaction(); // TypeORM notes that a transaction is open; its BEGIN is not sent
    isStarted = true;
  }

  /** Sends BEGIN once, and returns the promise of its answer. */
  private sendBegin(connection: Client): Promise<unknown> {
    if (!this.begun) {
      this.begun = connection.query('begin');
      this.begun.catch(() => undefined); // reported by the first statement
    }
    return this.begun;
  }

  /** Sends BEGIN, the claim and the reads in one round trip. */
  private async read(reads: readonly TransactionRead<unknown>[]): Promise<unknown[]> {
    await this.granted;
    const claim = this.pendingClaim;
    if (!claim) return toResults(reads, await this.answersTo(reads));
    this.pendingClaim = undefined;
    const answers = this.answersTo([claim, ...reads]);
    this.granted = answers.then(([answer]) => void claim.toResult(answer as never));
    await this.granted;
    return toResults(reads, (await answers).slice(1));
  }

  private async answersTo(reads: readonly TransactionRead<unknown>[]): Promise<never[]> {
    const connection = await this.connection();
    const begun = this.sendBegin(connection);
    const rows = query(connection, READ_TOGETHER, toParameter(reads));
    const [, [row]] = await awaitInOrder(begun, rows);
    return (row as { answers: never[] }).answers;
  }

  /** Throws if the claim is refused, or if BEGIN was sent and failed, although the work has caught this error. */
  private async requireStarted(): Promise<void> {
    if (this.pendingClaim) await this.read([]);
    await this.granted;
    await this.begun;
  }

  /** No statement is sent without BEGIN, since it would be committed by itself, or before the claim is granted. */
  private async beforeStatement(): Promise<void> {
    await this.requireStarted();
    if (!this.begun) await this.sendBegin(await this.connection());
  }

  /** Sends the collected rows and the statement in one round trip. */
  private async afterRows<Result>(statement: () => Promise<Result>): Promise<Result> {
    await this.beforeStatement();
    const rows = this.rows.takeForStatement();
    if (rows === undefined) return statement();
    const written = query(await this.connection(), WRITE_TOGETHER, rows);
    const [, result] = await awaitInOrder(written, statement());
    return result;
  }

  private async connection(): Promise<Client> {
    if (!this.runner) throw new Error('The unit of work is over.');
    return connectionOf(this.runner);
  }

  private async releaseConnection(): Promise<void> {
    const { runner } = this;
    this.runner = undefined;
    // Until BEGIN is answered, the connection reports that it is in no transaction, and would not be rolled back.
    await this.begun?.catch(() => undefined);
    if (runner) await rollBackAndRelease(runner);
  }
}

/** Sends a statement at once; TypeORM would wait for its own steps first. Fails as TypeORM's statements do. */
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
    // With a SQLSTATE, PostgreSQL has refused the rows and rolls back. Without one, the connection is lost: it may have committed.
    throw sqlState(writing.reason) === undefined ? commitError(writing.reason) : writing.reason;
  }
  if (committing.status === 'rejected') throw commitError(committing.reason);
  return committing.value;
}
