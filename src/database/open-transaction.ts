import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Client, QueryResult } from 'pg';
import { connectionOf, giveBack } from './connections.js';
import { ofCommit } from './database-error.js';

/**
 * A database transaction on its own connection. It stays open after its work, so that the response of an idempotent
 * request is stored in the same transaction before the commit.
 */
export class OpenTransaction {
  private runner: QueryRunner | undefined;
  private state: 'free' | 'working' | 'waiting' | 'over' = 'free';

  constructor(
    private readonly dataSource: DataSource,
    /** Called first in the transaction. */
    private readonly onBegin: (manager: EntityManager) => Promise<void> = async () => undefined,
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
      await runner.startTransaction();
      await this.onBegin(runner.manager);
      const result = await work(runner.manager);
      this.state = 'waiting';
      return result;
    } catch (error) {
      await this.releaseConnection();
      this.state = 'free';
      throw error;
    }
  }

  /**
   * Calls `lastWrite` and commits. Throws if PostgreSQL answers COMMIT with ROLLBACK, which it does after a failed statement
   * whose error was swallowed.
   */
  async commit(lastWrite: (manager: EntityManager) => Promise<void> = async () => undefined): Promise<void> {
    if (this.state === 'free') await this.run(async () => undefined);
    const { runner } = this;
    if (this.state !== 'waiting' || !runner) throw new Error('The unit of work has not finished: await it.');
    await lastWrite(runner.manager);
    const { command } = await committed(await connectionOf(runner));
    if (command !== 'COMMIT')
      throw new Error('A statement of the unit of work had failed, so PostgreSQL rolled it back.');
  }

  /** Rolls back what was not committed and returns the connection to the pool. */
  async end(): Promise<void> {
    await this.releaseConnection();
    this.state = 'over';
  }

  private async releaseConnection(): Promise<void> {
    const { runner } = this;
    this.runner = undefined;
    if (runner) await giveBack(runner);
  }
}

async function committed(connection: Client): Promise<QueryResult> {
  try {
    return await connection.query('commit');
  } catch (error) {
    throw ofCommit(error);
  }
}
