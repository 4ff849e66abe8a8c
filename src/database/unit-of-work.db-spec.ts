import pg from 'pg';
import { DataSource } from 'typeorm';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { asDomainError } from './database-error.js';
import { openDatabase } from './data-source.js';
import { afterCommit, beforeCommit, savepoint, UnitOfWork, type Tx } from './unit-of-work.js';

describe('A unit of work', () => {
  let database: TestDatabase;
  let dataSource: DataSource; // of one connection: what one leaves in it, the next one meets
  let watcher: DataSource;
  let unitOfWork: UnitOfWork;

  const connect = async () => {
    const options = { type: 'postgres', url: database.url, poolSize: 1 } as const;
    return openDatabase(options, () => undefined, { migrate: false });
  };
  const write = (tx: Tx, n: number) => tx.query('insert into number values ($1)', [n]);
  const broken = (tx: Tx) => tx.query('select 1 / 0');
  const written = async () =>
    (await watcher.query<{ n: number }[]>('select n from number order by n')).map(({ n }) => n);

  beforeAll(async () => {
    database = await freshDatabase();
    [dataSource, watcher] = [await connect(), await connect()];
    unitOfWork = new UnitOfWork(dataSource);
    await watcher.query('create table number (n int)');
  });
  beforeEach(() => watcher.query('truncate number'));
  afterAll(async () => {
    await Promise.all([dataSource.destroy(), watcher.destroy()]);
    await database.drop();
  });

  it('throws when a statement failed and its error was swallowed', async () => {
    let told = 0;
    const work = unitOfWork.runInTransaction(async (tx) => {
      afterCommit(tx, () => (told += 1));
      await write(tx, 1);
      await broken(tx).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('PostgreSQL rolled it back');
    expect([await written(), told]).toEqual([[], 0]);
  });

  it('keeps earlier writes when a savepoint is rolled back', async () => {
    await unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      const part = savepoint(tx, async (inner) => {
        await write(inner, 2);
        await broken(inner);
      });
      await expect(part).rejects.toThrow('division by zero');
      await write(tx, 3);
    });
    expect(await written()).toEqual([1, 3]);
  });

  it('writes collected items with one call before the commit, without those of a savepoint that was rolled back', async () => {
    const calls: (readonly number[])[] = [];
    const writeAll = async (tx: Tx, items: readonly number[]) => {
      calls.push(items);
      for (const item of items) await write(tx, item);
    };
    await unitOfWork.runInTransaction(async (tx) => {
      beforeCommit(tx, writeAll, 1);
      const part = savepoint(tx, async (inner) => {
        beforeCommit(inner, writeAll, 2);
        await broken(inner);
      });
      await expect(part).rejects.toThrow('division by zero');
      beforeCommit(tx, writeAll, 3);
      expect(calls).toEqual([]);
    });
    expect(calls).toEqual([[1, 3]]);
    expect(await written()).toEqual([1, 3]);
  });

  it('rolls back when collected items cannot be written', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      beforeCommit(tx, (inner) => broken(inner), 2);
    });
    await expect(work).rejects.toThrow('division by zero');
    expect(await written()).toEqual([]);
  });

  it('writes nothing outside of the transaction when a savepoint cannot be created', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      await broken(tx).catch(() => undefined);
      await savepoint(tx, (part) => write(part, 2)).catch(() => undefined);
      await write(tx, 3);
    });
    await expect(work).rejects.toThrow('current transaction is aborted');
    expect(await written()).toEqual([]);
  });

  it('does not reuse a connection that stays in its transaction', async () => {
    await withoutRollback(async () => {
      const work = unitOfWork.runInTransaction(async (tx) => {
        await write(tx, 1);
        throw new Error('not this one');
      });
      await expect(work).rejects.toThrow('not this one');
    });
    await unitOfWork.runInTransaction((tx) => write(tx, 2));
    await dataSource.query('insert into number values (3)');
    expect(await written()).toEqual([2, 3]);
  });

  it('throws SERVICE_UNAVAILABLE when the connection is lost between two statements', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      const [{ pid }] = await tx.query<[{ pid: number }]>('select pg_backend_pid() as pid');
      await watcher.query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => expect(tx.queryRunner?.isReleased).toBe(true)); // the driver has heard of it
      await write(tx, 2);
    });
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(asDomainError(error)?.code).toBe('SERVICE_UNAVAILABLE');
    await unitOfWork.runInTransaction((tx) => write(tx, 3));
    expect(await written()).toEqual([3]);
  });
});

/** Every ROLLBACK fails in the server meanwhile, as one that is cancelled does. */
async function withoutRollback(work: () => Promise<void>): Promise<void> {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function (this: unknown, text: unknown, ...rest: unknown[]) {
    return original.call(this, /^rollback$/i.test(String(text)) ? 'select 1 / 0' : text, ...rest);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
}
