import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Client, QueryResult } from 'pg';
import { connectionOf, giveBack } from './connections.js';
import { ofCommit } from './database-error.js';

/**
 * A unit of work on a connection of its own. It stays open when its work is done: that of a request whose answer is
 * stored with it is committed when the answer is known and written.
 */
export class OpenTransaction {
  private runner: QueryRunner | undefined;
  private state: 'free' | 'working' | 'waiting' | 'over' = 'free';

  constructor(
    private readonly dataSource: DataSource,
    /** Called in the transaction before anything else. */
    private readonly begun: (manager: EntityManager) => Promise<void> = async () => undefined,
  ) {}

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** Does the request's work and leaves the transaction open; work that fails is rolled back and may come again. */
  async run<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    if (this.state !== 'free') {
      throw new Error('A request whose answer is stored does one unit of work: see UnitOfWork.apart.');
    }
    this.state = 'working';
    const runner = this.dataSource.createQueryRunner();
    this.runner = runner;
    try {
      await runner.startTransaction();
      await this.begun(runner.manager);
      const result = await work(runner.manager);
      this.state = 'waiting';
      return result;
    } catch (error) {
      await this.letGo();
      this.state = 'free';
      throw error;
    }
  }

  /**
   * Writes beside the work, or alone where the request had nothing to do, and commits. Where a statement has failed
   * and nobody minded, the server answers COMMIT by rolling back: that is a failure here.
   */
  async commit(lastWrite: (manager: EntityManager) => Promise<void> = async () => undefined): Promise<void> {
    if (this.state === 'free') await this.run(async () => undefined);
    const { runner } = this;
    if (this.state !== 'waiting' || !runner) throw new Error('A unit of work was not waited for.');
    await lastWrite(runner.manager);
    const { command } = await committed(await connectionOf(runner));
    if (command !== 'COMMIT')
      throw new Error('A statement of a unit of work had failed: it was rolled back.');
  }

  /** Gives the connection back; what was not committed has not happened. */
  async end(): Promise<void> {
    await this.letGo();
    this.state = 'over';
  }

  private async letGo(): Promise<void> {
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
