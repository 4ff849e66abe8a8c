import { Logger } from '@nestjs/common';
import {
  insertNumber,
  openNumberTable,
  sendNumber,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { replacingStatements } from '../../test/harness/replaced-statement.js';
import { afterCommit, read, write } from './statements.js';
import { type Tx, type UnitOfWork } from './unit-of-work.js';

const broken = (tx: Tx) => tx.query('select 1 / 0');

describe.each(CONNECTION_CLASSES)('A unit of work %s', (_where, Client) => {
  let numbers: NumberTable;
  let unitOfWork: UnitOfWork;

  beforeAll(async () => {
    numbers = await openNumberTable(Client);
    unitOfWork = numbers.unitOfWork;
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterAll(() => numbers.close());

  it.each<[what: string, fail: (tx: Tx) => Promise<unknown>]>([
    ['an awaited statement', broken],
    ['a read', (tx) => read(tx, 'select 1 / 0')],
  ])('throws the error of %s that the work has swallowed', async (_what, fail) => {
    let callbacks = 0;
    const work = unitOfWork.runInTransaction(async (tx) => {
      afterCommit(tx, () => (callbacks += 1));
      await insertNumber(tx, 1);
      await fail(tx).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('division by zero');
    expect([await numbers.written(), callbacks]).toEqual([[], 0]);
  });

  it.each(['40001', '40P01'])('runs again if a write fails with %s, three times in all', async (state) => {
    const fail = (tx: Tx) => write(tx, `do $$ begin raise sqlstate '${state}'; end $$`);
    let runs = 0;
    await unitOfWork.runInTransaction(async (tx) => {
      sendNumber(tx, ++runs);
      if (runs < 3) fail(tx);
    });
    expect([runs, await numbers.written()]).toEqual([3, [3]]);
    const work = unitOfWork.runInTransaction(async (tx) => {
      runs++;
      fail(tx);
    });
    await expect(work).rejects.toMatchObject({ code: state });
    expect(runs).toBe(6);
  });

  it('throws if PostgreSQL answers COMMIT with ROLLBACK', async () => {
    const work = unitOfWork.runInTransaction((tx) => insertNumber(tx, 1));
    await replacingStatements(/^commit$/, 'rollback', () =>
      expect(work).rejects.toThrow('PostgreSQL has rolled the unit of work back'),
    );
    expect(await numbers.written()).toEqual([]);
  });

  it('succeeds although a callback after its commit fails, and calls the next one', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    let calls = 0;
    await unitOfWork.runInTransaction(async (tx) => {
      afterCommit(tx, () => {
        throw new Error('not counted');
      });
      afterCommit(tx, () => (calls += 1));
      await insertNumber(tx, 1);
    });
    expect([calls, await numbers.written(), logged.mock.calls.length]).toEqual([1, [1], 1]);
    logged.mockRestore();
  });

  it('leaves no transaction open when its work throws before the first statement', async () => {
    const work = unitOfWork.runInTransaction(() => Promise.reject(new Error('refused')));
    await expect(work).rejects.toThrow('refused');
    await numbers.dataSource.query('insert into number (n) values (1)'); // on the same connection
    expect(await numbers.written()).toEqual([1]);
  });

  it('does not reuse a connection that stays in its transaction', async () => {
    await replacingStatements(/^rollback$/i, 'select 1 / 0', async () => {
      const work = unitOfWork.runInTransaction(async (tx) => {
        await insertNumber(tx, 1);
        throw new Error('refused');
      });
      await expect(work).rejects.toThrow('refused'); // not with the error of ROLLBACK
    });
    await unitOfWork.runInTransaction((tx) => insertNumber(tx, 2));
    await numbers.dataSource.query('insert into number (n) values (3)');
    expect(await numbers.written()).toEqual([2, 3]);
  });
});
