import type { DataSource, EntityManager } from 'typeorm';
import type { TransactionRead } from './transaction-read.js';
import { TransactionStatements } from './transaction-statements.js';

/**
 * The transaction of a unit of work. It stays open after `work` has returned, so that the response of an idempotent request is
 * stored in the same transaction before the commit.
 */
export class OpenTransaction {
  private statements: TransactionStatements | undefined;
  /** `free` before the work and after it has failed; `working` while it runs; `waiting` for the commit; `over` after `end`. */
  private state: 'free' | 'working' | 'waiting' | 'over' = 'free';

  constructor(
    private readonly dataSource: DataSource,
    /** A read that may refuse the work, such as the lock of an idempotency key. It comes first in the transaction. */
    private readonly claim?: TransactionRead<unknown>,
  ) {}

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Runs `work` and leaves the transaction open. If `work` throws, rolls back; `run` may then be called again. */
  async run<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    if (this.state !== 'free') {
      throw new Error(
        'A request with an idempotency key may call UnitOfWork.runInTransaction once. Use runInNewTransaction for another unit of work.',
      );
    }
    this.state = 'working';
    try {
      const statements = await TransactionStatements.open(this.dataSource, this.claim);
      this.statements = statements;
      this.requireNotOver();
      const result = await work(statements.manager);
      this.requireNotOver();
      await statements.requireStarted();
      this.requireNotOver();
      this.state = 'waiting';
      return result;
    } catch (error) {
      await this.statements?.end();
      this.statements = undefined;
      if (!this.isOver) this.state = 'free';
      throw error;
    }
  }

  /**
   * Calls `collectLast`, which may collect further rows but not read, and commits. Without work, or after work whose error
   * the caller has handled, commits only these rows, after the claim.
   */
  async commit(
    collectLast: (manager: EntityManager) => Promise<void> = async () => undefined,
  ): Promise<void> {
    if (this.state === 'free') await this.run(async () => undefined);
    const { statements } = this;
    if (this.state !== 'waiting' || !statements)
      throw new Error('The unit of work has not finished: await it.');
    await collectLast(statements.manager);
    await statements.commit();
  }

  /** Rolls back a transaction that is not committed, and returns the connection to the pool. */
  async end(): Promise<void> {
    const { statements } = this;
    this.state = 'over';
    this.statements = undefined;
    await statements?.end();
  }

  private requireNotOver(): void {
    if (this.isOver) throw new Error('The request has ended before its unit of work: await it.');
  }
}
