import { Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { connectWithPoolOfOne, READ_PAUSE, recordedEntries } from '../../test/fixtures/transaction-calls.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { eventually } from '../../test/harness/eventually.js';
import { LOCK_WAITS } from '../../test/harness/lock-waits.js';
import { roundTripsDuring } from '../../test/harness/queries.js';
import { asDomainError, violates } from './database-error.js';
import { collectRow, readTogether } from './transaction-calls.js';
import { afterCommit, savepoint, UnitOfWork, type Tx } from './unit-of-work.js';

describe('A unit of work', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let watcher: DataSource;
  let unitOfWork: UnitOfWork;

  const connect = () => connectWithPoolOfOne(database.url);
  const write = (tx: Tx, n: number) => tx.query('insert into number values ($1)', [n]);
  const broken = (tx: Tx) => tx.query('select 1 / 0');
  const storedEntries = async () => {
    const rows = await watcher.query<{ reason: string }[]>('select reason from audit_entry order by reason');
    return rows.map(({ reason }) => reason);
  };
  const written = async () =>
    (await watcher.query<{ n: number }[]>('select n from number order by n')).map(({ n }) => n);

  beforeAll(async () => {
    database = await freshDatabase();
    [dataSource, watcher] = [await connect(), await connect()];
    unitOfWork = new UnitOfWork(dataSource);
    await watcher.query('create table number (n int)');
  });
  beforeEach(() =>
    watcher.query('truncate number; alter table audit_entry disable trigger user; delete from audit_entry'),
  );
  afterAll(async () => {
    await Promise.all([dataSource.destroy(), watcher.destroy()]);
    await database.drop();
  });

  it('throws when a statement failed and its error was swallowed', async () => {
    let callbacks = 0;
    const work = unitOfWork.runInTransaction(async (tx) => {
      afterCommit(tx, () => (callbacks += 1));
      await write(tx, 1);
      await broken(tx).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('PostgreSQL rolled it back');
    expect([await written(), callbacks]).toEqual([[], 0]);
  });

  it('succeeds although a callback after its commit fails, and calls the next one', async () => {
    Logger.overrideLogger(false); // the error is logged
    let calls = 0;
    await unitOfWork.runInTransaction(async (tx) => {
      afterCommit(tx, () => {
        throw new Error('not counted');
      });
      afterCommit(tx, () => (calls += 1));
      await write(tx, 1);
    });
    expect([calls, await written()]).toEqual([1, [1]]);
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

  it('writes rows that wait for the commit with one call, without those of a savepoint that was rolled back', async () => {
    const { write: entries, calls } = recordedEntries({ waitsForCommit: true });
    await unitOfWork.runInTransaction(async (tx) => {
      await collectRow(tx, entries, 'first');
      const part = savepoint(tx, async (inner) => {
        await collectRow(inner, entries, 'dropped');
        await broken(inner);
      });
      await expect(part).rejects.toThrow('division by zero');
      await collectRow(tx, entries, 'second');
      expect(calls).toEqual([]);
    });
    expect(calls).toEqual([['first', 'second']]);
    expect(await storedEntries()).toEqual(['first', 'second']);
  });

  it('sends collected rows together before the next statement, which sees them', async () => {
    const { write: entries, calls } = recordedEntries();
    const seen = await unitOfWork.runInTransaction(async (tx) => {
      await collectRow(tx, entries, 'first');
      await collectRow(tx, entries, 'second');
      expect(calls).toEqual([]);
      return tx.query<{ reason: string }[]>('select reason from audit_entry order by reason');
    });
    expect(seen.map(({ reason }) => reason)).toEqual(['first', 'second']);
    expect(calls).toEqual([['first', 'second']]);
  });

  it('sends collected rows and reads in one round trip', async () => {
    const { write: entries } = recordedEntries();
    await unitOfWork.runInTransaction(async (tx) => {
      await readTogether(tx, READ_PAUSE); // with BEGIN
      await collectRow(tx, entries, 'first');
      const trips = await roundTripsDuring(() => readTogether(tx, READ_PAUSE));
      expect(trips).toBe(1);
      expect(await tx.query('select from audit_entry')).toHaveLength(1);
    });
  });

  it('needs two round trips for reads and collected rows, with BEGIN and COMMIT', async () => {
    const { write: entries } = recordedEntries();
    const trips = await roundTripsDuring(() =>
      unitOfWork.runInTransaction(async (tx) => {
        expect(await readTogether(tx, READ_PAUSE, READ_PAUSE)).toEqual([false, false]);
        await collectRow(tx, entries, 'first');
      }),
    );
    expect([trips, await storedEntries()]).toEqual([2, ['first']]);
  });

  it('needs one round trip for collected rows alone, and none for a transaction that does nothing', async () => {
    const { write: entries } = recordedEntries();
    const trips = await roundTripsDuring(() =>
      unitOfWork.runInTransaction((tx) => collectRow(tx, entries, 'first')),
    );
    expect([trips, await storedEntries()]).toEqual([1, ['first']]);
    expect(await roundTripsDuring(() => unitOfWork.runInTransaction(async () => undefined))).toBe(0);
  });

  it.each(['alone', 'after a statement'])(
    'writes nothing if rows that are sent %s cannot be written',
    async (when) => {
      const { write: entries } = recordedEntries();
      const unknown = { name: 'unknown_rows', toRows: (rows: readonly number[]) => rows };
      const work = unitOfWork.runInTransaction(async (tx) => {
        if (when !== 'alone') await write(tx, 1);
        await collectRow(tx, entries, 'first');
        await collectRow(tx, unknown, 2);
      });
      await expect(work).rejects.toThrow('one of these names is unknown: unknown_rows');
      expect([await written(), await storedEntries()]).toEqual([[], []]);
    },
  );

  it('names the constraint that collected rows violate, and writes none of them', async () => {
    const { write: entries } = recordedEntries({ action: 'not an action' });
    const work = unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      await collectRow(tx, entries, 'first');
    });
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(violates(error, 'audit_entry_action')).toBe(true);
    expect([await written(), await storedEntries()]).toEqual([[], []]);
  });

  it('ends only the savepoint whose collected rows cannot be written', async () => {
    const { write: entries } = recordedEntries();
    const { write: wrong } = recordedEntries({ action: 'not an action' });
    await unitOfWork.runInTransaction(async (tx) => {
      await collectRow(tx, entries, 'before');
      const part = savepoint(tx, (inner) => collectRow(inner, wrong, 'dropped'));
      await expect(part).rejects.toThrow('audit_entry_action');
      await collectRow(tx, entries, 'after');
    });
    expect(await storedEntries()).toEqual(['after', 'before']);
  });

  it('writes nothing if the claim of an idempotent request is refused, even if the work swallows the error', async () => {
    const { write: entries, calls } = recordedEntries();
    const claim = {
      ...READ_PAUSE,
      toResult: () => {
        throw new Error('refused');
      },
    };
    const works: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => collectRow(tx, entries, 'alone'),
      (tx) => collectRow(tx, entries, 'before a read').then(() => readTogether(tx, READ_PAUSE)),
      (tx) => collectRow(tx, entries, 'before a statement').then(() => write(tx, 1)),
      (tx) => savepoint(tx, (part) => write(part, 2)).catch(() => collectRow(tx, entries, 'swallowed')),
      (tx) =>
        write(tx, 3)
          .catch(() => write(tx, 4))
          .catch(() => undefined),
    ];
    for (const work of works) {
      const record = { claim, collectResponse: () => Promise.resolve() };
      const request = unitOfWork.runIdempotent(() => unitOfWork.runInTransaction(work), record);
      await expect(request).rejects.toThrow('refused');
    }
    expect([calls, await written()]).toEqual([[], []]);
  });

  it('runs an idempotent request again if its rows deadlock with another transaction', async () => {
    // The rival has inserted the request's key and waits for the row that the request has locked. The deadlock begins
    // when the request inserts the key with its commit.
    const [rivalSource, observer] = [await connect(), await connect()];
    const rival = rivalSource.createQueryRunner();
    await rival.startTransaction();
    await rival.query(`set local deadlock_timeout = '60s'`); // the request's session detects the deadlock
    const key = { caller: 'user:1', route: 'POST /', key: 'k', fingerprint: '00'.repeat(32) };
    const result = { ...key, status: 200, answer: '{}', created_at: new Date() };
    await rival.query(
      `insert into idempotency_result values ('user:1', 'POST /', 'k', sha256('other'), 200, '{}', now())`,
    );
    await watcher.query('insert into number values (1)');
    let runs = 0;
    let rivalUpdate: Promise<unknown> | undefined;
    const request = () =>
      unitOfWork.runInTransaction(async (tx) => {
        await tx.query('select n from number for update');
        rivalUpdate ??= rival.query('update number set n = 2').then(() => rival.rollbackTransaction());
        if (++runs > 1) return;
        await eventually(async () => expect(await observer.query(LOCK_WAITS)).toHaveLength(1));
      });
    await unitOfWork.runIdempotent(request, {
      claim: READ_PAUSE,
      collectResponse: (tx) =>
        collectRow(tx, { name: 'idempotency_results', toRows: (rows) => rows }, result),
    });
    await rivalUpdate;
    expect(runs).toBe(2);
    expect(await watcher.query('select status from idempotency_result')).toEqual([{ status: 200 }]);
    await rival.release();
    await Promise.all([rivalSource.destroy(), observer.destroy()]);
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

  it('leaves no transaction open when its work throws before the first statement', async () => {
    const work = unitOfWork.runInTransaction(() => Promise.reject(new Error('refused')));
    await expect(work).rejects.toThrow('refused');
    await dataSource.query('insert into number values (1)'); // on the same connection
    expect(await written()).toEqual([1]);
  });

  it('does not reuse a connection that stays in its transaction', async () => {
    await withoutRollback(async () => {
      const work = unitOfWork.runInTransaction(async (tx) => {
        await write(tx, 1);
        throw new Error('refused');
      });
      await expect(work).rejects.toThrow('refused'); // not with the error of ROLLBACK
    });
    await unitOfWork.runInTransaction((tx) => write(tx, 2));
    await dataSource.query('insert into number values (3)');
    expect(await written()).toEqual([2, 3]);
  });

  it('throws an error that maps to SERVICE_UNAVAILABLE when the connection is lost between two statements', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await write(tx, 1);
      const [{ pid }] = await tx.query<[{ pid: number }]>('select pg_backend_pid() as pid');
      await watcher.query('select pg_terminate_backend($1)', [pid]);
      await eventually(async () => expect(tx.queryRunner?.isReleased).toBe(true)); // the driver has noticed the loss
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

/** Makes every ROLLBACK fail in the server while `work` runs, as a cancelled ROLLBACK does. */
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
