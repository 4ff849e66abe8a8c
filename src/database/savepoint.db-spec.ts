import {
  errorOf,
  insertNumber,
  openNumberTable,
  sendNumber,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { violates } from '../common/errors/database-error.js';
import { afterCommit, beforeCommit, read } from './statements.js';
import { savepoint, type Tx, type UnitOfWork } from './unit-of-work.js';

const INVALID = -1; // violates number_positive
const broken = (tx: Tx) => tx.query('select 1 / 0');

describe.each(CONNECTION_CLASSES)('A savepoint %s', (_where, Client) => {
  let numbers: NumberTable;
  let unitOfWork: UnitOfWork;

  beforeAll(async () => {
    numbers = await openNumberTable(Client);
    unitOfWork = numbers.unitOfWork;
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterAll(() => numbers.close());

  it('that fails does not hide that an earlier value could not be sent', async () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    const work = unitOfWork.runInTransaction(async (tx) => {
      sendNumber(tx, 1);
      await expect(tx.query('select $1::jsonb', [circular])).rejects.toThrow('circular');
      await expect(savepoint(tx, broken)).rejects.toThrow('division by zero');
    });
    await expect(work).rejects.toThrow('circular');
    expect(await numbers.written()).toEqual([]);
  });

  it('that fails because a value could not be sent keeps the other writes', async () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    await unitOfWork.runInTransaction(async (tx) => {
      sendNumber(tx, 1);
      const part = savepoint(tx, (inner) => {
        sendNumber(inner, 2);
        return read(inner, 'select $1::jsonb', [circular]);
      });
      await expect(part).rejects.toThrow('circular');
      expect(await read(tx, 'select $1::jsonb', ['{}'])).toHaveLength(1); // the statement stays prepared
    });
    expect(await numbers.written()).toEqual([1]);
  });

  it('that fails keeps earlier and later writes of the transaction', async () => {
    await unitOfWork.runInTransaction(async (tx) => {
      sendNumber(tx, 1);
      const part = savepoint(tx, async (inner) => {
        sendNumber(inner, 2);
        await broken(inner);
      });
      await expect(part).rejects.toThrow('division by zero');
      sendNumber(tx, 3);
      await insertNumber(tx, 4);
    });
    expect(await numbers.written()).toEqual([1, 3, 4]);
  });

  it.each<[what: string, failPart: (tx: Tx) => Promise<unknown>]>([
    ['unawaited write is the last statement', async (tx) => sendNumber(tx, INVALID)],
    [
      'unawaited write comes before a read',
      (tx) => {
        sendNumber(tx, INVALID);
        return read(tx, 'select 1');
      },
    ],
    [
      'unawaited write comes before another error',
      (tx) => {
        sendNumber(tx, INVALID);
        return broken(tx);
      },
    ],
    [
      'unawaited write fails and the part swallows the error',
      (tx) => {
        sendNumber(tx, INVALID);
        return read(tx, 'select 1').catch(() => undefined);
      },
    ],
  ])(
    'fails with its first error, and the rest of the transaction is committed, if its %s',
    async (_what, failPart) => {
      let error: unknown;
      await unitOfWork.runInTransaction(async (tx) => {
        sendNumber(tx, 1);
        error = await errorOf(
          savepoint(tx, async (part) => {
            sendNumber(part, 2);
            await failPart(part);
          }),
        );
        sendNumber(tx, 3);
      });
      expect(violates(error, 'number_positive')).toBe(true);
      expect(await numbers.written()).toEqual([1, 3]);
    },
  );

  it('that fails drops its deferred items and callbacks after the commit, but not those of the rest', async () => {
    const deferred: number[][] = [];
    const called: string[] = [];
    const insertAll = (tx: Tx, items: number[]) => {
      deferred.push(items);
      for (const item of items) sendNumber(tx, item);
    };
    await unitOfWork.runInTransaction(async (tx) => {
      beforeCommit(tx, insertAll, 1);
      afterCommit(tx, () => called.push('before'));
      await savepoint(tx, async (part) => {
        beforeCommit(part, insertAll, 2);
        afterCommit(part, () => called.push('kept'));
      });
      await expect(
        savepoint(tx, async (part) => {
          beforeCommit(part, insertAll, 3);
          afterCommit(part, () => called.push('dropped'));
          sendNumber(part, INVALID);
        }),
      ).rejects.toThrow('number_positive');
      beforeCommit(tx, insertAll, 4);
      afterCommit(tx, () => called.push('after'));
      expect(deferred).toEqual([]);
    });
    expect(deferred).toEqual([[1, 2, 4]]);
    expect(called).toEqual(['before', 'kept', 'after']);
    expect(await numbers.written()).toEqual([1, 2, 4]);
  });

  it('that fails undoes the savepoints within it, even if one of them has failed before', async () => {
    await unitOfWork.runInTransaction(async (tx) => {
      sendNumber(tx, 1);
      const outer = savepoint(tx, async (part) => {
        sendNumber(part, 2);
        await expect(savepoint(part, broken)).rejects.toThrow('division by zero');
        sendNumber(part, INVALID);
      });
      await expect(outer).rejects.toThrow('number_positive');
    });
    expect(await numbers.written()).toEqual([1]);
  });

  it.each<[when: string, failBefore: (tx: Tx) => Promise<unknown>, message: string]>([
    ['an awaited statement has failed', (tx) => broken(tx).catch(() => undefined), 'division by zero'],
    ['an unawaited write has failed', async (tx) => sendNumber(tx, INVALID), 'number_positive'],
  ])(
    'cannot be created after %s, and nothing is written outside of the transaction',
    async (_when, failBefore, message) => {
      let isPartCalled = false;
      const work = unitOfWork.runInTransaction(async (tx) => {
        await insertNumber(tx, 1);
        await failBefore(tx);
        const part = savepoint(tx, async (inner) => {
          isPartCalled = true;
          await insertNumber(inner, 2);
        });
        await expect(part).rejects.toThrow(message);
        sendNumber(tx, 3);
        await insertNumber(tx, 4).catch(() => undefined);
      });
      await expect(work).rejects.toThrow(message);
      expect([await numbers.written(), isPartCalled]).toEqual([[], false]);
    },
  );

  it('that cannot be undone ends the transaction with its error', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      await insertNumber(tx, 1);
      await savepoint(tx, async (part) => {
        await part.query('release savepoint part');
        await broken(part);
      }).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('division by zero');
    expect(await numbers.written()).toEqual([]);
  });
});
