import type { DataSource } from 'typeorm';
import { connectWithPoolOfOne, READ_PAUSE, recordedEntries } from '../../test/fixtures/transaction-calls.js';
import { freshDatabase, type TestDatabase } from '../../test/harness/database.js';
import { collectRow, readTogether } from './transaction-calls.js';
import { UnitOfWork, type Tx } from './unit-of-work.js';

describe('The statements of a unit of work that it does not await', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let unitOfWork: UnitOfWork;

  const write = (tx: Tx, n: number) => tx.query('insert into number values ($1)', [n]);
  const written = async () =>
    (await dataSource.query<{ n: number }[]>('select n from number order by n')).map(({ n }) => n);
  /** Resolves after so many turns of the microtask queue. */
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await Promise.resolve();
  };
  const isInTransaction = async () => {
    const [row] = await dataSource.query<[{ isOpen: boolean }]>(
      `select now() <> statement_timestamp() as "isOpen"`, // in a transaction, now() is the time of BEGIN
    );
    return row.isOpen;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await connectWithPoolOfOne(database.url);
    unitOfWork = new UnitOfWork(dataSource);
    await dataSource.query('create table number (n int)');
  });
  beforeEach(() => dataSource.query('truncate number'));
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it.each(Array.from({ length: 12 }, (_, count) => count))(
    'are rolled back if the work fails while they are under way (%p turns after its start)',
    async (count) => {
      const work = unitOfWork.runInTransaction(async (tx) => {
        const fails = turns(count).then(() => Promise.reject(new Error('refused')));
        await Promise.all([write(tx, 1).then(() => write(tx, 2)), readTogether(tx, READ_PAUSE), fails]);
      });
      await expect(work).rejects.toThrow('refused');
      expect([await isInTransaction(), await written()]).toEqual([false, []]);
    },
  );

  it('prevent its commit', async () => {
    const work = unitOfWork.runInTransaction(async (tx) => {
      write(tx, 1).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('A statement of the unit of work has not ended: await it.');
    expect(await written()).toEqual([]);
  });

  it('are refused after its end, as are rows', async () => {
    const tx = await unitOfWork.runInTransaction(async (open) => {
      await write(open, 1);
      return open;
    });
    await expect(write(tx, 2)).rejects.toThrow('already released'); // by TypeORM
    await expect(readTogether(tx, READ_PAUSE)).rejects.toThrow('The unit of work is over.');
    await expect(collectRow(tx, recordedEntries().write, 'late')).rejects.toThrow(
      'The unit of work is over.',
    );
    expect(await written()).toEqual([1]);
  });

  const entries = recordedEntries();
  describe.each([
    ['has executed a statement', (tx: Tx) => write(tx, 1)],
    ['executes a statement', async (tx: Tx) => void write(tx, 1).catch(() => undefined)],
    ['has only collected rows', (tx: Tx) => collectRow(tx, entries.write, 'row')],
  ])('when the request ends while its work %s', (_what, firstStep) => {
    // Each number of turns ends the request at another moment after the last step of the work. The database sends no answer
    // during the turns.
    it.each(Array.from({ length: 40 }, (_, count) => count))(
      'are rolled back (after %p turns)',
      async (count) => {
        let hasBegun!: () => void;
        const begun = new Promise<void>((resolve) => (hasBegun = resolve));
        let work: Promise<unknown> | undefined;
        const request = async () => {
          work = unitOfWork.runInTransaction(async (tx) => {
            await firstStep(tx);
            hasBegun();
          });
          work.catch(() => undefined);
          await begun;
          await turns(count);
          throw new Error('the request fails');
        };
        const record = { claim: READ_PAUSE, collectResponse: async () => undefined };
        await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('the request fails');
        expect([await isInTransaction(), await written()]).toEqual([false, []]);
        await work?.catch(() => undefined);
        expect([await isInTransaction(), await written(), entries.calls]).toEqual([false, [], []]);
      },
    );
  });

  it('are not sent if the request ends while the work waits', async () => {
    let endRequest!: () => void;
    const ended = new Promise<void>((resolve) => (endRequest = resolve));
    let hasBegun!: () => void;
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    let work: Promise<void> | undefined;
    const request = async () => {
      work = unitOfWork.runInTransaction(async (tx) => {
        await collectRow(tx, entries.write, 'row');
        hasBegun();
        await ended;
      });
      work.catch(() => undefined);
      await begun;
      throw new Error('the request fails');
    };
    const record = { claim: READ_PAUSE, collectResponse: async () => undefined };
    await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('the request fails');
    endRequest();
    await expect(work).rejects.toThrow('has ended before its unit of work');
    expect([await isInTransaction(), entries.calls]).toEqual([false, []]);
  });
});
