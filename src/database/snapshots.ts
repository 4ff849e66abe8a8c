import { Injectable } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { giveBack } from './connections.js';
import { withoutHurry } from './data-source.js';

/** One view of the database, in which nothing changes and nothing can be written. Holds a connection until closed. */
export class Snapshot {
  private cursors = 0;

  constructor(private readonly runner: QueryRunner) {}

  query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return this.runner.query(sql, parameters) as Promise<Row[]>;
  }

  /** The rows of a query in batches by a cursor of the server's: memory for one batch, however many there are. */
  async *batches<Row>(sql: string, parameters: unknown[], size: number): AsyncGenerator<Row[], void> {
    const cursor = `batches_${++this.cursors}`;
    await this.runner.query(`declare ${cursor} no scroll cursor for ${sql}`, parameters);
    for (;;) {
      const rows = (await this.runner.query(`fetch ${size} from ${cursor}`)) as Row[];
      if (rows.length > 0) yield rows;
      if (rows.length < size) break;
    }
    await this.runner.query(`close ${cursor}`);
  }

  close(): Promise<void> {
    return giveBack(this.runner);
  }
}

const PATIENCE = { connectionTimeoutMillis: 10_000, keepAlive: true };

/** What somebody waits for reads little: starting more processes of the server takes longer than they save. */
const BEGIN = `begin isolation level repeatable read read only; set local max_parallel_workers_per_gather = 0`;

/** For what reads whole tables: time, memory to sort in, help; and compiling such a query takes longer than it saves. */
const AT_LENGTH = `set local statement_timeout = '900s'; set local work_mem = '64MB'; set local jit = off;
  set local max_parallel_workers_per_gather to default`;

/** Reads that must agree with one another. A read that needs no company asks the data source. */
@Injectable()
export class Snapshots {
  constructor(private readonly dataSource: DataSource) {}

  /** The caller closes it. Left alone for longer than a statement may run, the server ends it. */
  async open(): Promise<Snapshot> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.query(BEGIN);
      return new Snapshot(runner);
    } catch (error) {
      await giveBack(runner);
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

  /** The same for what takes longer than a request may: no request waits for its connection. */
  async readAtLength<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return withoutHurry(this.dataSource.options, PATIENCE, (own) =>
      new Snapshots(own).read(async (snapshot) => {
        await snapshot.query(AT_LENGTH, []);
        return work(snapshot);
      }),
    );
  }
}
