import { Injectable } from '@nestjs/common';
import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import { rollBackAndRelease } from './connections.js';
import { all } from './statements.js';
import './date-columns.js';
import { SequentialClient } from './pooled-client.js';

/** A read-only repeatable-read transaction, which holds a connection until `close`. `separate` is a data source of its own, which is then destroyed. */
export class Snapshot {
  private cursorCount = 0;
  /** The answer to the statements that begin the transaction. */
  readonly begun: Promise<unknown>;

  constructor(
    private readonly runner: QueryRunner,
    begin: string = BEGIN,
    private readonly separate?: DataSource,
  ) {
    this.begun = runner.query(begin);
    this.begun.catch(() => undefined); // reported by each statement
  }

  /** For TypeORM's reads in the transaction. They do not throw the error of a failed BEGIN, as `query` does; `Snapshots.read` throws it. */
  get manager(): EntityManager {
    return this.runner.manager;
  }

  /** Does not wait for the answer to the statements that begin the transaction before it sends the query, but throws their error. */
  async query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const [, rows] = await all(this.begun, this.runner.query(sql, parameters) as Promise<Row[]>);
    return rows;
  }

  /**
   * Reads the rows of a query in batches through a server-side cursor. The database computes the next batch while the caller
   * handles one, so that memory holds two batches.
   */
  async *batches<Row>(sql: string, parameters: unknown[], size: number): AsyncGenerator<Row[], void> {
    const cursor = `batches_${++this.cursorCount}`;
    await this.query(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
    const fetch = () => this.query<Row>(`fetch ${size} from ${cursor}`, []);
    let rows = await fetch();
    while (rows.length === size) {
      const next = fetch();
      next.catch(() => undefined); // no unhandled rejection if the caller stops before this batch
      yield rows;
      rows = await next;
    }
    if (rows.length > 0) yield rows;
    await this.query(`close ${cursor}`, []);
  }

  async close(): Promise<void> {
    await this.begun.catch(() => undefined); // until then the connection reports no transaction, so that nothing would be rolled back
    await rollBackAndRelease(this.runner);
    await this.separate?.destroy();
  }
}

/** Driver options of separate connections. They replace the options of the pool, which contain the time-outs of requests. */
const SEPARATE_CONNECTION = { connectionTimeoutMillis: 10_000, keepAlive: true, Client: SequentialClient };

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
  open(): Snapshot {
    return new Snapshot(this.dataSource.createQueryRunner());
  }

  /** Like `open`, on a separate connection and without the time-outs of requests; with `exported`, an id of pg_export_snapshot, in the state of that snapshot. */
  async openWithoutTimeouts(exported?: string): Promise<Snapshot> {
    const options = { ...this.dataSource.options, entities: [], poolSize: 1, extra: SEPARATE_CONNECTION };
    const separate = await new DataSource(options as DataSourceOptions).initialize();
    const imported = exported === undefined ? '' : `; set transaction snapshot '${exported}'`;
    return new Snapshot(
      separate.createQueryRunner(),
      `${BEGIN}${imported}; ${WHOLE_TABLE_SETTINGS}`,
      separate,
    );
  }

  read<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return readAndClose(this.open(), work);
  }

  /**
   * Like `read`, on a separate connection and without the time-outs of requests. When `stopping` is aborted, the connection is
   * terminated, so that the running statement fails.
   */
  async readWithoutTimeouts<Result>(
    work: (snapshot: Snapshot) => Promise<Result>,
    stopping?: AbortSignal,
    exported?: string,
  ): Promise<Result> {
    const snapshot = await this.openWithoutTimeouts(exported);
    return readAndClose(snapshot, async () => {
      const [server] = await snapshot.query<{ pid: number }>('select pg_backend_pid() as pid', []);
      let terminated: Promise<unknown> | undefined;
      const terminate = () => {
        terminated = this.dataSource
          .query('select pg_terminate_backend($1)', [server?.pid])
          .catch(() => undefined); // the read then continues to its end
      };
      stopping?.throwIfAborted();
      stopping?.addEventListener('abort', terminate);
      try {
        return await work(snapshot);
      } finally {
        stopping?.removeEventListener('abort', terminate);
        await terminated; // before the snapshot is closed: afterwards another connection can have this process id
      }
    });
  }

  /** Like `readWithoutTimeouts` for two reads at once, on two connections that see the same state of the database. */
  readBothWithoutTimeouts<First, Second>(
    first: (snapshot: Snapshot) => Promise<First>,
    second: (snapshot: Snapshot) => Promise<Second>,
    stopping?: AbortSignal,
  ): Promise<[First, Second]> {
    return this.readWithoutTimeouts(async (snapshot) => {
      const [row] = await snapshot.query<{ id: string }>('select pg_export_snapshot() as id', []);
      return all(first(snapshot), this.readWithoutTimeouts(second, stopping, row?.id));
    }, stopping);
  }
}

async function readAndClose<Result>(
  snapshot: Snapshot,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  try {
    const [, result] = await all(snapshot.begun, work(snapshot));
    return result;
  } finally {
    await snapshot.close();
  }
}
