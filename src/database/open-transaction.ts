import type { Client, QueryResult as Answer } from 'pg';
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  QueryResult,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { connectionOf, rollBackAndRelease } from './connections.js';
import { commitError } from '../common/errors/database-error.js';
import { groupBy } from '../common/groups.js';
import { inSpanNamed, inTraceOfCaller } from '../observability/statement-spans.js';
import { prepared, prepareValue } from './prepared.js';
import type { Tx } from './tx.js';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** An item that `insertAll` gets immediately before COMMIT, together with the other items that were deferred for it. */
interface Deferred {
  readonly insertAll: (tx: Tx, items: never[]) => void;
  readonly item: unknown;
}

const BEGIN = prepared('begin');
const COMMIT = prepared('commit');

const openTransactions = new WeakMap<EntityManager, OpenTransaction>();

/** Throws for a manager that does not come from `UnitOfWork`. */
export function transactionOf(tx: Tx): OpenTransaction {
  const transaction = openTransactions.get(tx);
  if (!transaction) throw new Error('The transaction was not opened by UnitOfWork.');
  return transaction;
}

/** Gets the error or the answer of a statement. */
type OnAnswer = (error: Error | undefined, answer: Answer) => void;
type Send = (text: string, values: readonly unknown[], onAnswer: OnAnswer) => void;

const ignore = () => undefined;

/**
 * One database transaction on its own connection. Statements are sent at once and executed in the order of the calls. BEGIN is
 * sent with the first awaited statement. Statements that change rows wait for its answer: if BEGIN failed, they
 * would be committed by themselves. Answers arrive by callbacks; only awaited statements have a promise.
 */
export class OpenTransaction {
  readonly callbacksAfterCommit: (() => void)[] = [];
  private readonly deferred: Deferred[] = [];
  private state: 'not begun' | 'beginning' | 'begun' | 'failed to begin' = 'not begun';
  /** Functions that send the statements that wait for the answer to BEGIN. */
  private held: (() => void)[] = [];
  private awaitedCount = 0;
  private unansweredCount = 0;
  private onAllAnswered: () => void = ignore;
  /** The error of the first statement that failed; later ones fail because of it. */
  private failure: Error | undefined;
  /** The error of the first value that could not be sent. PostgreSQL would commit the other statements. */
  private unsent: Error | undefined;
  private isOver = false;
  private ending: Promise<void> | undefined;

  private constructor(
    private readonly runner: QueryRunner,
    private readonly connection: Client,
    private readonly claim: Statement | undefined,
  ) {
    // All statements of TypeORM pass through this object. For TypeORM the transaction is open, so it sends no BEGIN of its own.
    const query = async (text: string, values: unknown[] = [], isStructured = false): Promise<unknown> => {
      this.requireOpen();
      this.begin();
      return toTypeOrm(await this.answerTo(text, values, this.sendAfterBegin), isStructured);
    };
    Object.assign(runner, { query, isTransactionActive: true, transactionDepth: 1 });
    openTransactions.set(runner.manager, this);
  }

  /**
   * Takes a connection of the pool, which `end` returns. `claim` locks an idempotency key: it changes no row and is sent behind BEGIN
   * without a wait; if it fails, PostgreSQL refuses all later statements.
   */
  static async open(dataSource: DataSource, claim?: Statement): Promise<OpenTransaction> {
    const runner = dataSource.createQueryRunner();
    try {
      return new OpenTransaction(runner, await connectionOf(runner), claim);
    } catch (error) {
      await rollBackAndRelease(runner);
      throw error;
    }
  }

  get tx(): Tx {
    return this.runner.manager as Tx;
  }

  /**
   * Sends a lock or a read, which changes no row and therefore does not wait for the answer to BEGIN, unless an earlier statement does:
   * the order stays that of the calls.
   */
  read(text: string, values: readonly unknown[]): Promise<Answer> {
    this.requireOpen();
    this.begin();
    return this.answerTo(text, values, this.held.length > 0 ? this.sendAfterBegin : this.send);
  }

  /**
   * Sends a statement that the caller does not await. If it fails, later statements and the commit fail with its error. Throws for
   * a value that cannot be sent.
   */
  write(text: string, values: readonly unknown[]): void {
    this.requireOpen();
    this.sendAfterBegin(text, this.toSent(values), ignore);
  }

  /** Calls `insertAll` immediately before COMMIT, once with all items. */
  defer<Item>(insertAll: (tx: Tx, items: Item[]) => void, item: Item): void {
    this.requireOpen();
    this.deferred.push({ insertAll, item });
  }

  /**
   * Called at the beginning of a savepoint. Returns a function to call after its rollback, which drops what the part has deferred, and
   * the error that ended it.
   */
  startPart(): () => void {
    const [callbackCount, deferredCount] = [this.callbacksAfterCommit.length, this.deferred.length];
    const { unsent } = this;
    return () => {
      this.callbacksAfterCommit.length = callbackCount;
      this.deferred.length = deferredCount;
      this.failure = undefined;
      this.unsent = unsent;
    };
  }

  /**
   * Sends COMMIT behind the last statement. A single write without any other statement is sent without BEGIN and COMMIT. Throws
   * the error of the first statement that failed, even if the work has caught it.
   */
  async commit(): Promise<void> {
    if (this.awaitedCount > 0) throw new Error('A statement of the unit of work has not ended: await it.');
    this.requireOpen();
    while (this.deferred.length > 0)
      for (const [insertAll, group] of groupBy(this.deferred.splice(0), ({ insertAll }) => insertAll))
        insertAll(this.tx, group.map(({ item }) => item) as never[]);
    this.isOver = true;
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError(); // the connection was lost before
    const failure = this.failure ?? this.unsent;
    if (failure) throw failure;
    if (this.state === 'not begun' && !this.claim && this.held.length <= 1) {
      this.sendHeld();
      await this.allAnswered();
    } else {
      this.begin();
      const { command } = await this.answerTo(COMMIT, [], this.sendAfterBegin).catch(this.throwCommitError);
      if (command !== 'COMMIT' && !this.failure)
        throw new Error('PostgreSQL has rolled the unit of work back.');
    }
    if (this.failure) this.throwCommitError();
  }

  /** Rolls back a transaction that is not committed, and returns the connection to the pool. */
  end(): Promise<void> {
    this.ending ??= this.rollBack();
    return this.ending;
  }

  private async rollBack(): Promise<void> {
    this.isOver = true;
    await this.allAnswered(); // until BEGIN is answered, the connection reports no transaction
    await rollBackAndRelease(this.runner);
  }

  private requireOpen(): void {
    if (this.isOver) throw new Error('The unit of work is over.');
  }

  private begin(): void {
    if (this.state !== 'not begun') return;
    this.state = 'beginning';
    const answered = new Promise<Error | undefined>((resolve) => this.send(BEGIN, [], resolve));
    // As a promise, so that held statements are sent in the asynchronous context of the transaction.
    void answered.then((error) => {
      this.state = error ? 'failed to begin' : 'begun';
      this.sendHeld();
    });
    const { claim } = this;
    if (claim) inSpanNamed('claim of the idempotency key', () => this.send(claim.text, claim.values, ignore));
  }

  private sendHeld(): void {
    for (const send of this.held.splice(0)) send();
  }

  private readonly sendAfterBegin: Send = (text, values, onAnswer) => {
    const send = () => this.send(text, values, onAnswer);
    if (this.state === 'not begun' || this.state === 'beginning') this.held.push(inTraceOfCaller(text, send));
    else send();
  };

  private readonly send: Send = (text, values, onAnswer) => {
    if (this.state === 'failed to begin') return onAnswer(this.failure, undefined as never);
    this.unansweredCount++;
    this.connection.query<object>(text, values as unknown[], (error: Error | null, answer) => {
      this.unansweredCount--;
      if (error) this.failure ??= new QueryFailedError(text, undefined, error);
      // If BEGIN has failed, a read that was sent with it may succeed outside of a transaction; its caller gets the error of BEGIN.
      onAnswer(error || this.state !== 'begun' ? this.failure : undefined, answer);
      if (this.unansweredCount === 0) this.onAllAnswered();
    });
  };

  private async allAnswered(): Promise<void> {
    if (this.unansweredCount > 0) await new Promise<void>((resolve) => (this.onAllAnswered = resolve));
  }

  private readonly throwCommitError = (): never => {
    // Without BEGIN, COMMIT was not sent.
    throw this.state === 'failed to begin' ? this.failure : commitError(this.failure);
  };

  /**
   * Throws for a value that cannot be sent. The driver would notice it after a part of the statement, lose the prepared statement
   * and report the error twice.
   */
  private toSent(values: readonly unknown[]): unknown[] {
    try {
      return values.map((value) => prepareValue(value));
    } catch (error) {
      this.unsent ??= error as Error;
      throw error;
    }
  }

  /** Until the promise settles, `commit` throws. */
  private answerTo(text: string, values: readonly unknown[], send: Send): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = this.toSent(values);
      this.awaitedCount++;
      send(text, sent, (error, answer) => {
        this.awaitedCount--;
        return error ? reject(error) : resolve(answer);
      });
    });
  }
}

/** The result in the form that TypeORM's query runner returns. */
function toTypeOrm({ command, rows, rowCount }: Answer, isStructured: boolean): unknown {
  const raw: unknown = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
  return isStructured ? Object.assign(new QueryResult(), { records: rows, affected: rowCount, raw }) : raw;
}
