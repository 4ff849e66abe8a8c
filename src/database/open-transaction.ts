import pg, { type Client, type QueryResult as Answer } from 'pg';
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  QueryResult,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { connectionOf, rollBackAndRelease } from './connections.js';
import { commitError } from './database-error.js';
import type { Tx } from './tx.js';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** An item of a call that is made immediately before COMMIT with all its items. */
interface Deferred {
  readonly insertAll: (tx: Tx, items: never[]) => void;
  readonly item: unknown;
}

/** Converts a value as the driver does when it sends the statement. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

const openTransactions = new WeakMap<EntityManager, OpenTransaction>();

/** Throws for a manager that does not come from `UnitOfWork`. */
export function transactionOf(tx: Tx): OpenTransaction {
  const transaction = openTransactions.get(tx);
  if (!transaction) throw new Error('The transaction was not opened by UnitOfWork.');
  return transaction;
}

/**
 * One database transaction on its own connection. Statements are sent at once and executed in the order of the calls. BEGIN is
 * sent with the first statement that somebody awaits. Statements that change rows wait for its answer: if BEGIN failed, they
 * would be committed by themselves.
 */
export class OpenTransaction {
  readonly callbacksAfterCommit: (() => void)[] = [];
  private readonly deferred: Deferred[] = [];
  /** Resolves after the answer to BEGIN, which `openGate` passes on. */
  private readonly begun: Promise<void>;
  private openGate!: (begin: Promise<unknown> | undefined) => void;
  private isBeginSent = false;
  private isBegun = false;
  /** The number of statements that were held back until BEGIN was answered. */
  private heldCount = 0;
  /** The number of awaited statements without an answer. */
  private awaitedCount = 0;
  private lastAnswer: Promise<unknown> = Promise.resolve();
  /** The error of the first statement that failed; later ones fail because of it. */
  private failure: Error | undefined;
  private isOver = false;
  private ending: Promise<void> | undefined;

  private constructor(
    private readonly runner: QueryRunner,
    private readonly connection: Client,
    private readonly claim: Statement | undefined,
  ) {
    const gate = new Promise<unknown>((resolve) => (this.openGate = resolve));
    this.begun = gate.then(() => void (this.isBegun = true));
    this.begun.catch(() => undefined); // the statements report it
  }

  /**
   * Takes a connection of the pool, which `end` returns. The claim changes no row and is sent behind BEGIN without a wait; if it
   * fails, PostgreSQL refuses all later statements.
   */
  static async open(dataSource: DataSource, claim?: Statement): Promise<OpenTransaction> {
    const runner = dataSource.createQueryRunner();
    try {
      const transaction = new OpenTransaction(runner, await connectionOf(runner), claim);
      await transaction.replaceQuery();
      openTransactions.set(runner.manager, transaction);
      return transaction;
    } catch (error) {
      await rollBackAndRelease(runner);
      throw error;
    }
  }

  get tx(): Tx {
    return this.runner.manager as Tx;
  }

  /** Sends a lock or a read, which changes no row and therefore does not wait for the answer to BEGIN. */
  async read(text: string, values: readonly unknown[]): Promise<Answer> {
    this.requireOpen();
    this.begin();
    if (this.heldCount > 0) return this.awaitAnswer(this.sendAfterBegin(text, values));
    const answer = this.execute(text, values);
    return this.awaitAnswer(this.begun.then(() => answer));
  }

  /**
   * Sends a statement that the caller does not await. If it fails, later statements and the commit fail with its error. Throws for
   * a value that cannot be sent: PostgreSQL would not know of that failure and would commit the other statements.
   */
  write(text: string, values: readonly unknown[]): void {
    this.requireOpen();
    const converted = values.map((value) => prepareValue(value));
    this.sendAfterBegin(text, converted).catch(() => undefined);
  }

  /** Calls `insertAll` immediately before COMMIT, once with all items. */
  defer<Item>(insertAll: (tx: Tx, items: Item[]) => void, item: Item): void {
    this.requireOpen();
    this.deferred.push({ insertAll, item });
  }

  /** Returns a function that drops what a savepoint has deferred, with the error that ended it. */
  startPart(): () => void {
    const { length: callbackCount } = this.callbacksAfterCommit;
    const { length: deferredCount } = this.deferred;
    return () => {
      this.callbacksAfterCommit.length = callbackCount;
      this.deferred.length = deferredCount;
      this.failure = undefined;
    };
  }

  /**
   * Sends COMMIT behind the last statement. A single write without any other statement is sent without BEGIN and COMMIT. Throws
   * the error of the first statement that failed, even if the work has caught it.
   */
  async commit(): Promise<void> {
    if (this.awaitedCount > 0) throw new Error('A statement of the unit of work has not ended: await it.');
    this.requireOpen();
    for (const [insertAll, items] of groupsOf(this.deferred)) insertAll(this.tx, items);
    this.isOver = true;
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError(); // the connection was lost before
    const isAlone = !this.isBeginSent && !this.claim && this.heldCount <= 1;
    if (isAlone) this.openGate(undefined);
    else this.begin();
    await this.begun;
    if (this.failure) throw this.failure;
    if (isAlone) await this.lastAnswer;
    else await this.sendCommit();
    if (this.failure) throw commitError(this.failure);
  }

  /** Rolls back a transaction that is not committed, and returns the connection to the pool. */
  end(): Promise<void> {
    this.ending ??= this.rollBack();
    return this.ending;
  }

  private async rollBack(): Promise<void> {
    this.isOver = true;
    // Statements that wait for BEGIN must not follow the rollback. Until BEGIN is answered, the connection reports no transaction.
    if (this.isBeginSent) await this.begun.catch(() => undefined);
    if (this.isBeginSent) await this.lastAnswer;
    await rollBackAndRelease(this.runner);
  }

  /** Makes every statement of TypeORM pass through this object. */
  private async replaceQuery(): Promise<void> {
    const { runner } = this;
    let isStarted = false;
    const query = async (text: string, values: unknown[] = [], isStructured = false): Promise<unknown> => {
      if (!isStarted) return undefined;
      this.requireOpen();
      this.begin();
      return toTypeOrm(await this.awaitAnswer(this.sendAfterBegin(text, values)), isStructured);
    };
    runner.query = query as QueryRunner['query'];
    await runner.startTransaction(); // TypeORM notes that a transaction is open; its BEGIN is not sent
    isStarted = true;
  }

  private requireOpen(): void {
    if (this.isOver) throw new Error('The unit of work is over.');
  }

  private begin(): void {
    if (this.isBeginSent) return;
    this.isBeginSent = true;
    this.openGate(this.execute('begin'));
    if (this.claim) this.execute(this.claim.text, this.claim.values).catch(() => undefined);
  }

  private sendAfterBegin(text: string, values: readonly unknown[]): Promise<Answer> {
    if (this.isBegun) return this.execute(text, values);
    this.heldCount++;
    return this.begun.then(() => this.execute(text, values));
  }

  private execute(text: string, values?: readonly unknown[]): Promise<Answer> {
    const answer = this.connection.query<object>(text, values as unknown[]).catch((error: unknown) => {
      throw (this.failure ??= new QueryFailedError(text, undefined, error as Error));
    });
    this.lastAnswer = answer.catch(() => undefined);
    return answer;
  }

  /** Until the promise settles, `commit` throws. */
  private async awaitAnswer<Result>(answer: Promise<Result>): Promise<Result> {
    this.awaitedCount++;
    try {
      return await answer;
    } finally {
      this.awaitedCount--;
    }
  }

  private async sendCommit(): Promise<void> {
    const { command } = await this.connection.query('commit').catch((error: unknown) => {
      throw commitError(this.failure ?? error);
    });
    if (command !== 'COMMIT' && !this.failure)
      throw new Error('PostgreSQL has rolled the unit of work back.');
  }
}

function groupsOf(deferred: readonly Deferred[]): Map<Deferred['insertAll'], never[]> {
  const groups = new Map<Deferred['insertAll'], unknown[]>();
  for (const { insertAll, item } of deferred) groups.set(insertAll, [...(groups.get(insertAll) ?? []), item]);
  return groups as Map<Deferred['insertAll'], never[]>;
}

/** The result in the form that TypeORM's query runner returns. */
function toTypeOrm({ command, rows, rowCount }: Answer, isStructured: boolean): unknown {
  const raw: unknown = command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
  return isStructured ? Object.assign(new QueryResult(), { records: rows, affected: rowCount, raw }) : raw;
}
