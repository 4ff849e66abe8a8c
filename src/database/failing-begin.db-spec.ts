import {
  insertNumber,
  NumberRow,
  openNumberTable,
  sendNumber,
  sendNumbers,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { eventually } from '../../test/harness/eventually.js';
import { LOCK_WAITS } from '../../test/harness/lock-waits.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { replacingStatements } from '../../test/harness/replaced-statement.js';
import { all, beforeCommit, read } from './statements.js';
import { PreparingClient } from './prepared.js';
import { savepoint, type Tx } from './unit-of-work.js';

const SELECT = 'select n from number for update';

/** Works that write, and would commit their statements one by one if they were sent outside of a transaction. */
const WORKS: [name: string, work: (tx: Tx) => Promise<unknown>][] = [
  ['two writes', async (tx) => sendNumbers(tx, [1, 2])],
  ['a read, then a write', (tx) => read(tx, SELECT).then(() => sendNumber(tx, 1))],
  [
    'a write, then a read',
    (tx) => {
      sendNumber(tx, 1);
      return read(tx, SELECT);
    },
  ],
  ['a read and a write at once', (tx) => all(read(tx, SELECT), insertNumber(tx, 1), sendNumber(tx, 2))],
  ['a query', (tx) => insertNumber(tx, 1)],
  ['a query, then a write', (tx) => insertNumber(tx, 1).then(() => sendNumber(tx, 2))],
  ['an insertion of TypeORM', (tx) => tx.insert(NumberRow, { n: 1 })],
  ['a savepoint', (tx) => savepoint(tx, async (part) => sendNumber(part, 1))],
  [
    'a write and a deferred write',
    async (tx) => {
      sendNumber(tx, 1);
      beforeCommit(tx, sendNumbers, 2);
    },
  ],
];

describe.each(CONNECTION_CLASSES)('A transaction %s whose BEGIN fails', (_where, Client) => {
  let numbers: NumberTable;

  beforeAll(async () => {
    numbers = await openNumberTable(Client);
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterAll(() => numbers.close());

  /** The server answers a division by zero instead of beginning a transaction. */
  const withoutBegin = (work: () => Promise<unknown>) => replacingStatements(/^begin$/, 'select 1 / 0', work);
  const claim = { text: 'select pg_advisory_xact_lock(1)', values: [] };

  describe.each(WORKS)('writes nothing with %s', (_name, work) => {
    it.each<[name: string, work: (tx: Tx) => Promise<unknown>]>([
      ['and reports the error', work],
      ['even if the work swallows the error', (tx) => work(tx).catch(() => undefined)],
      [
        'even if the work swallows the error and writes again',
        (tx) =>
          work(tx).then(
            () => sendNumber(tx, 8),
            () => sendNumber(tx, 9),
          ),
      ],
    ])('%s', async (_what, attempt) => {
      await withoutBegin(async () => {
        await expect(numbers.unitOfWork.runInTransaction(attempt)).rejects.toThrow('division by zero');
      });
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('and keeps no claim in an idempotent request', async () => {
      await withoutBegin(async () => {
        const request = () => numbers.unitOfWork.runInTransaction(work);
        const storeResponse = (tx: Tx) => sendNumber(tx, 7);
        const running = numbers.unitOfWork.runIdempotent(request, { claim, storeResponse });
        await expect(running).rejects.toThrow('division by zero');
      });
      const locks = await numbers.watcher.query<unknown[]>(
        `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      );
      expect([await numbers.isInTransaction(), await numbers.written(), locks]).toEqual([false, [], []]);
    });
  });

  it('stores no response of an idempotent request without a transaction', async () => {
    await withoutBegin(async () => {
      const record = { claim, storeResponse: (tx: Tx) => sendNumber(tx, 1) };
      const running = numbers.unitOfWork.runIdempotent(async () => 'done', record);
      await expect(running).rejects.toThrow('division by zero');
    });
    expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
  });

  it('gives the work no answer to a read', async () => {
    let isAnswered = false;
    await withoutBegin(async () => {
      const work = numbers.unitOfWork.runInTransaction(async (tx) => {
        await read(tx, SELECT);
        isAnswered = true;
      });
      await expect(work).rejects.toThrow('division by zero');
    });
    expect(isAnswered).toBe(false);
  });

  it('sends a single write without BEGIN', async () => {
    await withoutBegin(() => numbers.unitOfWork.runInTransaction(async (tx) => sendNumber(tx, 1)));
    expect(await numbers.written()).toEqual([1]);
  });

  const isBatched = Client === PreparingClient; // then PostgreSQL skips the reads behind a BEGIN that fails
  it('returns its connection to the pool after its reads are answered', async () => {
    await numbers.watcher.query('insert into number (n) values (1)');
    const holder = numbers.watcher.createQueryRunner();
    await holder.startTransaction();
    await holder.query(SELECT);
    let isOver = false;
    const work = withoutBegin(() =>
      numbers.unitOfWork.runInTransaction((tx) => all(read(tx, SELECT), insertNumber(tx, 2))),
    ).finally(() => {
      isOver = true;
    });
    const outcome = expect(work).rejects.toThrow('division by zero');
    if (!isBatched) {
      await eventually(async () => expect(await holder.query(LOCK_WAITS)).toHaveLength(1));
      expect(isOver).toBe(false);
    }
    await holder.rollbackTransaction();
    await holder.release();
    await outcome;
    expect(await numbers.written()).toEqual([1]);
  });
});
