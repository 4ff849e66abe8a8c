import { setTimeout as sleep } from 'node:timers/promises';
import { readDuring, type Read } from '../verification/races/balance-snapshots.js';
import { openLedgerFixture, type LedgerFixture } from '../fixtures/ledger-fixtures.js';
import { runConcurrentUsers } from '../verification/races/concurrent-users.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import { linearizationError, type Operation } from '../verification/races/linearizable.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { initialModel, type ModelAnswer, type Call } from '../verification/races/reference-model.js';
import { RaceContext } from '../verification/races/two-api-processes.js';

// Tests of two checkers that find double spending, the linearizability checker and the bank test, and one run of both against
// the service.
// test/verification/runs/histories.spec.ts runs them against two processes.

type ObservedOperation = Operation<Call, ModelAnswer>;

const balanceRead = (available: number, from: number, to: number, invested = 0): ObservedOperation => ({
  call: { does: 'read' },
  answer: { funds: { available, invested, reserved: 0 } },
  from,
  to,
});
const invest = (amount: number, answer: ModelAnswer, from: number, to: number): ObservedOperation => ({
  call: { does: 'invest', amount },
  answer,
  from,
  to,
});
const close = (id: string, answer: ModelAnswer, from: number, to: number): ObservedOperation => ({
  call: { does: 'close', id },
  answer,
  from,
  to,
});
const insufficient = (available: number): ModelAnswer => ({
  refused: 'INSUFFICIENT_BALANCE',
  available,
});

describe('The linearizability checker, for a user with an initial balance of 100', () => {
  const errorIn = (history: ObservedOperation[]) => linearizationError(history, initialModel(100));

  it.each<[string, ObservedOperation[]]>([
    ['an empty history', []],
    ['one of two investments refused', [invest(100, { id: 'a' }, 0, 2), invest(60, insufficient(0), 1, 3)]],
    [
      'two investments within the balance',
      [invest(40, { id: 'a' }, 0, 2), invest(60, { id: 'b' }, 1, 3), balanceRead(0, 4, 5, 100)],
    ],
    [
      'reads before and after a concurrent investment takes effect',
      [invest(100, { id: 'a' }, 0, 5), balanceRead(100, 1, 2), balanceRead(0, 3, 4, 100)],
    ],
    [
      'a refusal between a successful investment and its closing',
      [invest(100, { id: 'a' }, 0, 1), invest(70, insufficient(0), 2, 5), close('a', {}, 3, 4)],
    ],
  ])('accepts %s', (_what, history) => {
    expect(errorIn(history)).toBeUndefined();
  });

  it.each<[string, ObservedOperation[]]>([
    ['a double spend', [invest(100, { id: 'a' }, 0, 2), invest(60, { id: 'b' }, 1, 3)]],
    [
      'a lost update',
      [invest(40, { id: 'a' }, 0, 2), invest(50, { id: 'b' }, 1, 3), balanceRead(50, 4, 5, 90)],
    ],
    ['a stale read', [invest(100, { id: 'a' }, 0, 1), balanceRead(100, 2, 3)]],
    [
      'a non-monotonic read',
      [invest(100, { id: 'a' }, 0, 9), balanceRead(0, 1, 2, 100), balanceRead(100, 3, 4)],
    ],
    ['a torn read', [invest(100, { id: 'a' }, 0, 3), balanceRead(0, 1, 2, 0)]],
    ['a refusal without reason', [invest(60, insufficient(0), 0, 1), invest(100, { id: 'a' }, 2, 3)]],
    ['a refusal with another balance', [invest(100, { id: 'a' }, 0, 2), invest(60, insufficient(40), 1, 3)]],
    [
      'an investment that is closed twice',
      [invest(100, { id: 'a' }, 0, 1), close('a', {}, 2, 4), close('a', {}, 3, 5)],
    ],
    [
      'a withdrawal that is both rejected and cancelled',
      [
        { call: { does: 'withdraw', amount: 50 }, answer: { id: 'w' }, from: 0, to: 1 },
        { call: { does: 'reject', id: 'w' }, answer: {}, from: 2, to: 4 },
        { call: { does: 'cancel', id: 'w' }, answer: {}, from: 3, to: 5 },
      ],
    ],
  ])('rejects %s', (_what, history) => {
    expect(errorIn(history)).toMatch(/^after \d of \d operations the state .* explains none of/);
  });
});

/** A reusable barrier: each caller waits until `size` callers wait. */
function barrier(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < size) return;
      for (const release of waiting) release();
      waiting = [];
    });
}

describe('The bank test, which sums all balances in one snapshot,', () => {
  const INITIAL_BALANCE = 100;
  const ACCOUNTS = 3;
  let ledgerFixture: LedgerFixture;

  beforeAll(async () => {
    ledgerFixture = await openLedgerFixture();
    await ledgerFixture.dataSource.query(
      'create table scratch (id integer primary key, balance integer not null)',
    );
  });
  afterAll(() => ledgerFixture.close());

  const readSum: Read = async () => {
    const [{ sum }] = await ledgerFixture.dataSource.query('select sum(balance)::int as sum from scratch');
    return sum === ACCOUNTS * INITIAL_BALANCE ? undefined : `the sum is ${sum}`;
  };
  /** Transfers 1 to the next account by reading both balances, waiting, and writing them. */
  const transfer = (from: number, lock: string, wait: () => Promise<unknown>) =>
    ledgerFixture.dataSource.transaction(async (tx) => {
      const to = (from % ACCOUNTS) + 1;
      const read = `select id, balance from scratch where id in ($1, $2) order by id ${lock}`;
      const rows = await tx.query<{ id: number; balance: number }[]>(read, [from, to]);
      await wait();
      for (const { id, balance } of rows) {
        const newBalance = balance + (id === to ? 1 : -1);
        await tx.query('update scratch set balance = $2 where id = $1', [id, newBalance]);
      }
    });
  beforeEach(async () => {
    const { dataSource } = ledgerFixture;
    await dataSource.query('truncate scratch');
    await dataSource.query(
      `insert into scratch select id, ${INITIAL_BALANCE} from generate_series(1, ${ACCOUNTS}) as id`,
    );
  });

  it('detects lost updates of transfers without row locks', async () => {
    // In every round both transactions read before either writes, so one update of the account that they share is
    // lost and the sum changes by an odd number. The sum of an odd number of such changes is not zero.
    const TRANSFERS = 15;
    const waitForBoth = barrier(2);
    const transferRepeatedly = async (from: number) => {
      for (let count = 0; count < TRANSFERS; count++) await transfer(from, '', waitForBoth);
    };
    const { violations } = await readDuring(
      Promise.all([transferRepeatedly(1), transferRepeatedly(2)]),
      readSum,
    );
    expect(violations[0]).toMatch(/^the sum is \d+/);
  });

  it('reports no violation if transfers lock the rows', async () => {
    const random = new SeededRandom(SEED);
    let reads = 0;
    const countedRead: Read = () => {
      reads += 1;
      return readSum();
    };
    const transferRepeatedly = async () => {
      for (let count = 0; count < 15 || reads < 6; count++)
        await transfer(random.integer(1, ACCOUNTS), 'for update', () => sleep(1));
    };
    const { violations } = await readDuring(
      Promise.all([transferRepeatedly(), transferRepeatedly(), transferRepeatedly(), transferRepeatedly()]),
      countedRead,
    );
    expect(violations).toEqual([]);
  });
});

describe(`Concurrent requests to the service (SEED=${SEED})`, () => {
  const SIZE = { users: 2, clients: 4, operations: 15 };
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it('are linearizable, and no concurrent read finds a wrong sum, a wrong balance or a violated invariant', async () => {
    const random = new SeededRandom(SEED);
    const scenario = await RaceContext.create({ platform, urls: [platform.baseUrl] }, random.fork());
    const { contradictions, snapshots, balances, checks, operations } = await runConcurrentUsers(
      scenario,
      random,
      SIZE,
    );
    expect(contradictions).toEqual([]);
    for (const { violations } of [snapshots, balances, checks]) expect(violations).toEqual([]);
    expect(operations).toBeGreaterThan(60); // of 2 × 4 × 15 = 120; some have no record to act on
  });
});
