import {
  insertNumber,
  openNumberTable,
  sendNumber,
  sendNumbers,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { roundTripsDuring } from '../../test/harness/queries.js';
import { PreparingClient } from './prepared.js';
import { all, beforeCommit, read } from './statements.js';
import type { Tx } from './unit-of-work.js';

const SELECT = 'select n from number for update';

describe('The number of waits for PostgreSQL', () => {
  let numbers: NumberTable;

  beforeAll(async () => {
    numbers = await openNumberTable(PreparingClient);
  });
  beforeEach(() => numbers.watcher.query('truncate number'));
  afterAll(() => numbers.close());

  it.each<[what: string, trips: number, work: (tx: Tx) => Promise<unknown>, written: number[]]>([
    ['no statement', 0, async () => undefined, []],
    ['one write', 1, async (tx) => sendNumber(tx, 1), [1]],
    ['one deferred write', 1, async (tx) => beforeCommit(tx, sendNumbers, 1), [1]],
    ['several writes', 2, async (tx) => sendNumbers(tx, [1, 2, 3]), [1, 2, 3]],
    ['a read', 2, (tx) => read(tx, SELECT), []],
    [
      'reads at once, then writes',
      2,
      (tx) => all(read(tx, SELECT), read(tx, SELECT)).then(() => sendNumbers(tx, [1, 2])),
      [1, 2],
    ],
    [
      'reads, then writes and a deferred write',
      2,
      (tx) => {
        beforeCommit(tx, sendNumbers, 2);
        return read(tx, SELECT).then(() => sendNumber(tx, 1));
      },
      [1, 2],
    ],
    [
      'reads, writes, and reads again',
      3,
      async (tx) => {
        await read(tx, SELECT);
        sendNumber(tx, 1);
        await read(tx, SELECT);
        sendNumber(tx, 2);
      },
      [1, 2],
    ],
    ['a query', 3, (tx) => insertNumber(tx, 1), [1]], // BEGIN, the statement, COMMIT
  ])('of a transaction with %s is %p', async (_what, trips, work, written) => {
    expect(await roundTripsDuring(() => numbers.unitOfWork.runInTransaction(work))).toBe(trips);
    expect(await numbers.written()).toEqual(written);
  });

  it.each<[what: string, work: (tx: Tx) => Promise<unknown>]>([
    ['writes', async (tx) => sendNumber(tx, 1)],
    ['a read, then writes', (tx) => read(tx, SELECT).then(() => sendNumber(tx, 1))],
  ])(
    'of an idempotent request with %s is at most 2, with the claim and the response',
    async (_what, work) => {
      const record = {
        claim: { text: 'select pg_advisory_xact_lock($1)', values: [1] },
        storeResponse: (tx: Tx) => sendNumber(tx, 2),
      };
      const trips = await roundTripsDuring(() =>
        numbers.unitOfWork.runIdempotent(() => numbers.unitOfWork.runInTransaction(work), record),
      );
      expect(trips).toBeLessThanOrEqual(2); // 1 if the writes are sent after the answer to BEGIN, but before that to the claim
      expect(await numbers.written()).toEqual([1, 2]);
    },
  );
});
