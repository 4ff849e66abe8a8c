import {
  errorOf,
  insertNumber,
  NumberRow,
  openNumberTable,
  sendNumber,
  sendNumbers,
  type NumberTable,
} from '../../test/fixtures/number-table.js';
import { CONNECTION_CLASSES } from '../../test/harness/pool-of-one.js';
import { violates } from '../common/errors/database-error.js';
import { afterCommit, all, beforeCommit, read, write } from './statements.js';
import type { Tx, UnitOfWork } from './unit-of-work.js';

const INVALID = -1; // violates number_positive

/** Resolves after so many turns of the microtask queue. */
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

describe.each(CONNECTION_CLASSES)(
  'The statements that a unit of work does not await, %s,',
  (_where, Client) => {
    let numbers: NumberTable;
    let unitOfWork: UnitOfWork;
    const record = {
      claim: { text: 'select pg_advisory_xact_lock($1)', values: [1] },
      storeResponse: (tx: Tx) => sendNumber(tx, 100),
    };

    beforeAll(async () => {
      numbers = await openNumberTable(Client);
      unitOfWork = numbers.unitOfWork;
    });
    beforeEach(() => numbers.watcher.query('truncate number'));
    afterAll(() => numbers.close());

    describe.each<[when: string, begin: (tx: Tx) => Promise<unknown>]>([
      ['as the first statement', async () => undefined],
      ['after a read', (tx) => read(tx, 'select 1')],
      ['after a query', (tx) => insertNumber(tx, 1)],
      ['after another write', async (tx) => sendNumber(tx, 1)],
    ])('if one fails %s', (_when, begin) => {
      it.each<[what: string, proceed: (tx: Tx) => unknown]>([
        ['the commit', () => undefined],
        ['the commit, after another write', (tx) => sendNumber(tx, 2)],
        ['the commit, after a deferred write', (tx) => beforeCommit(tx, sendNumbers, 2)],
        ['the next read', (tx) => read(tx, 'select 1')],
        ['the next query', (tx) => insertNumber(tx, 2)],
        ['the next statement of TypeORM', (tx) => tx.insert(NumberRow, { n: 2 })],
        ['several next statements', (tx) => all(read(tx, 'select 1'), insertNumber(tx, 2))],
        ['the commit, if the next error is swallowed', (tx) => insertNumber(tx, 2).catch(() => undefined)],
        [
          'the commit, if a later error of another kind is swallowed',
          (tx) => tx.query('select 1 / 0').catch(() => sendNumber(tx, 3)),
        ],
      ])('let %s throw its error', async (_what, proceed) => {
        let calls = 0;
        const work = unitOfWork.runInTransaction(async (tx) => {
          afterCommit(tx, () => (calls += 1));
          await begin(tx);
          sendNumber(tx, INVALID);
          await proceed(tx);
        });
        expect(violates(await errorOf(work), 'number_positive')).toBe(true);
        expect([await numbers.isInTransaction(), await numbers.written(), calls]).toEqual([false, [], 0]);
      });
    });

    it('may be deferred again while the deferred ones are sent', async () => {
      await unitOfWork.runInTransaction(async (tx) => {
        const sendTwo = (inner: Tx) => beforeCommit(inner, sendNumbers, 2);
        beforeCommit(tx, sendTwo, 1);
      });
      expect(await numbers.written()).toEqual([2]);
    });

    it('throw at once if a value cannot be sent, and nothing is written', async () => {
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      const work = unitOfWork.runInTransaction(async (tx) => {
        await insertNumber(tx, 1);
        write(tx, 'select $1::jsonb', [circular]);
      });
      await expect(work).rejects.toThrow('circular');
      expect(await numbers.written()).toEqual([]);
    });

    it.each(Array.from({ length: 12 }, (_, count) => count))(
      'are rolled back if the work fails while they are under way (%p turns after its start)',
      async (count) => {
        const work = unitOfWork.runInTransaction(async (tx) => {
          const fails = turns(count).then(() => Promise.reject(new Error('refused')));
          sendNumber(tx, 1);
          await Promise.all([insertNumber(tx, 2).then(() => sendNumber(tx, 3)), read(tx, 'select 1'), fails]);
        });
        await expect(work).rejects.toThrow('refused');
        expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
      },
    );

    it.each<[what: string, start: (tx: Tx) => Promise<unknown>]>([
      ['a query', (tx) => insertNumber(tx, 1)],
      ['a read', (tx) => read(tx, 'select 1')],
    ])('prevent its commit if one of them is %s, which has to be awaited', async (_what, start) => {
      const work = unitOfWork.runInTransaction(async (tx) => {
        start(tx).catch(() => undefined);
      });
      await expect(work).rejects.toThrow('A statement of the unit of work has not ended: await it.');
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('are refused after its end', async () => {
      const tx = await unitOfWork.runInTransaction(async (open) => {
        await insertNumber(open, 1);
        return open;
      });
      await expect(insertNumber(tx, 2)).rejects.toThrow('already released'); // by TypeORM
      await expect(read(tx, 'select 1')).rejects.toThrow('The unit of work is over.');
      expect(() => sendNumber(tx, 3)).toThrow('The unit of work is over.');
      expect(() => beforeCommit(tx, sendNumbers, 4)).toThrow('The unit of work is over.');
      expect(await numbers.written()).toEqual([1]);
    });

    it('are refused by a manager that UnitOfWork has not opened', () => {
      expect(() => sendNumber(numbers.dataSource.manager as Tx, 1)).toThrow('was not opened by UnitOfWork');
    });

    describe.each<[what: string, firstStep: (tx: Tx) => Promise<unknown>]>([
      ['has executed a query', (tx) => insertNumber(tx, 1)],
      [
        'executes a query',
        async (tx) => {
          insertNumber(tx, 1).catch(() => undefined);
        },
      ],
      ['has read', (tx) => read(tx, 'select 1')],
      ['has only sent a write', async (tx) => sendNumber(tx, 1)],
      [
        'has sent a write behind a query',
        async (tx) => {
          insertNumber(tx, 1).catch(() => undefined);
          sendNumber(tx, 2);
        },
      ],
      ['has deferred a write', async (tx) => beforeCommit(tx, sendNumbers, 1)],
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
          await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('the request fails');
          expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
          await work?.catch(() => undefined);
          expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
        },
      );
    });

    it('are not sent if the request ends while the work waits', async () => {
      const end = signal();
      const begin = signal();
      let work: Promise<void> | undefined;
      const request = async () => {
        work = unitOfWork.runInTransaction(async (tx) => {
          sendNumber(tx, 1);
          begin.send();
          await end.sent;
        });
        work.catch(() => undefined);
        await begin.sent;
        throw new Error('the request fails');
      };
      await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('the request fails');
      end.send();
      await expect(work).rejects.toThrow('has ended before its unit of work');
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('cannot be sent after the request has ended', async () => {
      const end = signal();
      const begin = signal();
      let work: Promise<unknown> | undefined;
      const request = async () => {
        work = unitOfWork.runInTransaction(async (tx) => {
          await insertNumber(tx, 1);
          begin.send();
          await end.sent;
          sendNumber(tx, 2);
        });
        work.catch(() => undefined);
        await begin.sent;
        throw new Error('the request fails');
      };
      await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('the request fails');
      end.send();
      await expect(work).rejects.toThrow('The unit of work is over.');
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('prevent that a request is committed before its work has finished', async () => {
      const end = signal();
      let work: Promise<unknown> | undefined;
      const request = async () => {
        work = unitOfWork.runInTransaction(async (tx) => {
          sendNumber(tx, 1);
          await end.sent;
        });
        work.catch(() => undefined);
      };
      await expect(unitOfWork.runIdempotent(request, record)).rejects.toThrow('has not finished: await it');
      end.send();
      await expect(work).rejects.toThrow('has ended before its unit of work');
      expect([await numbers.isInTransaction(), await numbers.written()]).toEqual([false, []]);
    });

    it('belong to a transaction of their own if the work begins after its request has ended', async () => {
      const end = signal();
      let late: Promise<unknown> | undefined;
      await unitOfWork.runIdempotent(async () => {
        late = end.sent.then(() => unitOfWork.runInTransaction(async (tx) => sendNumber(tx, 1)));
      }, record);
      expect(await numbers.written()).toEqual([100]);
      end.send();
      await late;
      expect(await numbers.written()).toEqual([100, 1]);
    });
  },
);

function signal() {
  let send!: () => void;
  const sent = new Promise<void>((resolve) => (send = resolve));
  return { send, sent };
}
