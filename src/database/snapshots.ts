import { Injectable } from '@nestjs/common';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { rollBackAndRelease } from './connections.js';
import { withoutTimeouts } from './data-source.js';

/** A read-only repeatable-read transaction. Holds a connection until it is closed. */
export class Snapshot {
  private cursorCount = 0;
  /** Settles after the statement that was queued last: a connection executes one statement at a time. */
  private lastStatement: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly runner: QueryRunner,
    private readonly release: () => Promise<void> = () => rollBackAndRelease(runner),
  ) {}

  query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const result = this.lastStatement.then(() => this.runner.query(sql, parameters) as Promise<Row[]>);
    this.lastStatement = result.catch(() => undefined);
    return result;
  }

  /** Reads the rows of a query in batches through a server-side cursor, so that memory holds one batch at a time. */
  async *batches<Row>(sql: string, parameters: unknown[], size: number): AsyncGenerator<Row[], void> {
    const cursor = `batches_${++this.cursorCount}`;
    await this.query(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
    for (;;) {
      const rows = await this.query<Row>(`fetch ${size} from ${cursor}`, []);
      if (rows.length > 0) yield rows;
      if (rows.length < size) break;
    }
    await this.query(`close ${cursor}`, []);
  }

  /** Like `batches`, but the database computes the next batch while the caller handles one. Memory holds two. */
  async *batchesAhead<Row>(sql: string, parameters: unknown[], size: number): AsyncGenerator<Row[], void> {
    const cursor = `batches_${++this.cursorCount}`;
    await this.query(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
    let next = this.query<Row>(`fetch ${size} from ${cursor}`, []);
    for (;;) {
      const rows = await next;
      if (rows.length === size) {
        next = this.query<Row>(`fetch ${size} from ${cursor}`, []);
        next.catch(() => undefined); // no unhandled rejection if the caller stops before it awaits this batch
      }
      if (rows.length > 0) yield rows;
      if (rows.length < size) break;
    }
    await this.query(`close ${cursor}`, []);
  }

  async close(): Promise<void> {
    await this.lastStatement;
    await this.release();
  }
}

/** Driver options of separate connections. They replace the options of the pool, which contain the time-outs of requests. */
const SEPARATE_CONNECTION = { connectionTimeoutMillis: 10_000, keepAlive: true };

/** Without parallel workers: requests read few rows, and starting workers takes longer than they save. */
const BEGIN = `begin isolation level repeatable read read only; set local max_parallel_workers_per_gather = 0`;

/** Settings for reads of whole tables: more time, more memory for sorting, parallel workers, no JIT compilation. */
const WHOLE_TABLE_SETTINGS = `set local statement_timeout = '900s'; set local work_mem = '64MB'; set local jit = off;
  set local max_parallel_workers_per_gather to default; set local idle_in_transaction_session_timeout = 0`;

/** Runs reads that must see the same state of the database. Single reads use the data source directly. */
@Injectable()
export class Snapshots {
  constructor(private readonly dataSource: DataSource) {}

  /** The caller must close the snapshot. The server ends one that is idle for longer than DATABASE_STATEMENT_MS. */
  async open(): Promise<Snapshot> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query(BEGIN);
      return new Snapshot(runner);
    } catch (error) {
      await rollBackAndRelease(runner);
      throw error;
    }
  }

  /** Like `open`, on a separate connection and without the time-outs of requests. */
  async openWithoutTimeouts(): Promise<Snapshot> {
    const options = { ...this.dataSource.options, entities: [], poolSize: 1, extra: SEPARATE_CONNECTION };
    const separate = new DataSource(options as DataSourceOptions);
    await separate.initialize();
    const runner = separate.createQueryRunner();
    try {
      await runner.query(`${BEGIN}; ${WHOLE_TABLE_SETTINGS}`);
      return new Snapshot(runner, async () => {
        await rollBackAndRelease(runner);
        await separate.destroy();
      });
    } catch (error) {
      await separate.destroy();
      throw error;
    }
  }

  async read<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const snapshot = await this.open();
    try {
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }

  /** Like `read`, on a separate connection and without the time-outs of requests. */
  async readWithoutTimeouts<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return withoutTimeouts(this.dataSource.options, SEPARATE_CONNECTION, (separate) =>
      new Snapshots(separate).read(async (snapshot) => {
        await snapshot.query(WHOLE_TABLE_SETTINGS, []);
        return work(snapshot);
      }),
    );
  }
}
