import {
  NumberRow,
  insertNumber,
  openNumberTable,
  sendNumber,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { all, beforeCommit, read, write } from './statements.js';
import type { Tx } from './unit-of-work.js';

describe.each(CONNECTION_CLASSES)('The statements of a transaction %s', (_where, Client) => {
  let numbers: NumberTable;

  beforeAll(async () => {
    numbers = await openNumberTable(Client);
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterAll(() => numbers.close());

  /** Reads the numbers that the statement sees. */
  const seen = async (tx: Tx) =>
    (await read<{ n: number }>(tx, 'select n from number order by position')).map(({ n }) => n);
  const seenByQuery = async (tx: Tx) =>
    (await tx.query<{ n: number }[]>('select n from number order by position')).map(({ n }) => n);

  describe.each(['before BEGIN is answered', 'after BEGIN is answered'])('%s', (when) => {
    const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) =>
      numbers.unitOfWork.runInTransaction(async (tx) => {
        if (when.startsWith('after')) await read(tx, 'select 1');
        return work(tx);
      });

    it('are executed in the order of the calls', async () => {
      const answers = await inTransaction((tx) => {
        const first = seen(tx);
        sendNumber(tx, 1);
        sendNumber(tx, 2);
        const second = seen(tx);
        const third = insertNumber(tx, 3);
        const fourth = seen(tx);
        const fifth = seenByQuery(tx);
        sendNumber(tx, 4);
        return all(first, second, third, fourth, fifth, seen(tx));
      });
      expect(answers).toEqual([[], [1, 2], [], [1, 2, 3], [1, 2, 3], [1, 2, 3, 4]]);
      expect(await numbers.written()).toEqual([1, 2, 3, 4]);
    });

    it('return the number of changed rows if they are awaited, and an error of the work undoes the earlier statements', async () => {
      const refused = inTransaction(async (tx) => {
        sendNumber(tx, 1);
        const [first, second] = await all(
          tx.update(NumberRow, { n: 1 }, { n: 2 }),
          tx.update(NumberRow, { n: 1 }, { n: 3 }),
        );
        throw new Error(`changed ${first.affected} and ${second.affected}`);
      });
      await expect(refused).rejects.toThrow('changed 1 and 0');
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('are executed in the order of the calls if a query comes before reads and writes', async () => {
      const answers = await inTransaction((tx) => {
        const first = insertNumber(tx, 1);
        const second = seen(tx);
        sendNumber(tx, 2);
        return all(first, second, seen(tx));
      });
      expect(answers).toEqual([[], [1], [1, 2]]);
      expect(await numbers.written()).toEqual([1, 2]);
    });

    it('are executed in the order of the calls if concurrent parts of the work await some of them', async () => {
      const calls: number[] = [];
      const called = (n: number) => {
        calls.push(n);
        return n;
      };
      await inTransaction(async (tx) => {
        const part = async (first: number) => {
          sendNumber(tx, called(first));
          await seen(tx);
          sendNumber(tx, called(first + 1));
          await insertNumber(tx, called(first + 2));
          sendNumber(tx, called(first + 3));
        };
        await all(part(1), part(11), part(21));
      });
      expect([calls.length, await numbers.written()]).toEqual([12, calls]);
    });

    it('are sent with the values of the time of the call', async () => {
      await inTransaction(async (tx) => {
        const values = [1, 2];
        write(tx, 'insert into number (n) select unnest($1::int[])', [values]);
        values[1] = 3;
        await seen(tx);
      });
      expect(await numbers.written()).toEqual([1, 2]);
    });
  });

  it('of TypeORM are executed after the ones before, and before the deferred ones', async () => {
    const deferred: number[][] = [];
    const insertAll = (tx: Tx, items: number[]) => {
      deferred.push(items);
      for (const item of items) sendNumber(tx, item);
    };
    await numbers.unitOfWork.runInTransaction(async (tx) => {
      beforeCommit(tx, insertAll, 8);
      sendNumber(tx, 1);
      await tx.insert(NumberRow, { n: 2 });
      beforeCommit(tx, insertAll, 9);
      sendNumber(tx, 3);
      expect(await tx.find(NumberRow, { order: { n: 'asc' } })).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
      sendNumber(tx, 4);
    });
    expect([await numbers.written(), deferred]).toEqual([[1, 2, 3, 4, 8, 9], [[8, 9]]]);
  });
});
