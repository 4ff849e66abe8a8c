import { setTimeout as sleep } from 'node:timers/promises';
import { watch, type Read } from '../verification/races/balance-snapshots.js';
import { openLedgerFixture, type LedgerFixture } from '../fixtures/ledger-fixtures.js';
import { dayOfBusiness } from '../verification/races/concurrent-day.js';
import { SeededRandom, SEED } from '../harness/seeded-random.js';
import { unexplained, type Operation } from '../verification/races/linearizable.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { purseOf, type EnvelopedResponse, type Call } from '../verification/races/reference-model.js';
import { Scene } from '../verification/races/two-api-processes.js';

// Those who look for double spending, first before histories that have some. What they say of the service at two
// processes is in test/verification/runs/histories.spec.ts.

type Seen = Operation<Call, EnvelopedResponse>;

const look = (available: number, from: number, to: number, invested = 0): Seen => ({
  call: { does: 'look' },
  answer: { funds: { available, invested, reserved: 0 } },
  ...{ from, to },
});
const invest = (amount: number, answer: EnvelopedResponse, from: number, to: number): Seen => ({
  call: { does: 'invest', amount },
  answer,
  ...{ from, to },
});
const close = (id: string, answer: EnvelopedResponse, from: number, to: number): Seen => ({
  call: { does: 'close', id },
  answer,
  ...{ from, to },
});
const poor = (available: number): EnvelopedResponse => ({ refused: 'INSUFFICIENT_BALANCE', available });

describe('of somebody with 100, the checker of histories', () => {
  const refused = (history: Seen[]) => unexplained(history, purseOf(100));

  it.each<[string, Seen[]]>([
    ['nothing', []],
    ['one spends, the other is told why not', [invest(100, { id: 'a' }, 0, 2), invest(60, poor(0), 1, 3)]],
    ['both fit', [invest(40, { id: 'a' }, 0, 2), invest(60, { id: 'b' }, 1, 3), look(0, 4, 5, 100)]],
    ['a look sees what is under way', [invest(100, { id: 'a' }, 0, 5), look(100, 1, 2), look(0, 3, 4, 100)]],
    [
      'the refusal lies between two that succeed',
      [invest(100, { id: 'a' }, 0, 1), invest(70, poor(0), 2, 5), close('a', {}, 3, 4)],
    ],
  ])('explains: %s', (_what, history) => {
    expect(refused(history)).toBeUndefined();
  });

  it.each<[string, Seen[]]>([
    ['a double spend', [invest(100, { id: 'a' }, 0, 2), invest(60, { id: 'b' }, 1, 3)]],
    ['a lost update', [invest(40, { id: 'a' }, 0, 2), invest(50, { id: 'b' }, 1, 3), look(50, 4, 5, 90)]],
    ['a stale look', [invest(100, { id: 'a' }, 0, 1), look(100, 2, 3)]],
    ['a look back in time', [invest(100, { id: 'a' }, 0, 9), look(0, 1, 2, 100), look(100, 3, 4)]],
    ['a torn look', [invest(100, { id: 'a' }, 0, 3), look(0, 1, 2, 0)]],
    ['a refusal without reason', [invest(60, poor(0), 0, 1), invest(100, { id: 'a' }, 2, 3)]],
    ['a refusal with another balance', [invest(100, { id: 'a' }, 0, 2), invest(60, poor(40), 1, 3)]],
    [
      'money that is paid back twice',
      [invest(100, { id: 'a' }, 0, 1), close('a', {}, 2, 4), close('a', {}, 3, 5)],
    ],
    [
      'a withdrawal that is rejected and cancelled',
      [
        { call: { does: 'withdraw', amount: 50 }, answer: { id: 'w' }, from: 0, to: 1 },
        { call: { does: 'reject', id: 'w' }, answer: {}, from: 2, to: 4 },
        { call: { does: 'cancel', id: 'w' }, answer: {}, from: 3, to: 5 },
      ],
    ],
  ])('does not explain: %s', (_what, history) => {
    expect(refused(history)).toMatch(/^after \d of \d operations there is .* answers none of/);
  });
});

/** Each who comes waits until so many have come. */
function meeting(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < size) return;
      for (const goOn of waiting) goOn();
      waiting = [];
    });
}

describe('the test of a bank', () => {
  const EACH = 100;
  const ACCOUNTS = 3;
  let books: LedgerFixture;

  beforeAll(async () => {
    books = await openLedgerFixture();
    await books.dataSource.query('create table scratch (id integer primary key, balance integer not null)');
  });
  afterAll(() => books.close());

  const sumOf: Read = async () => {
    const [{ sum }] = await books.dataSource.query('select sum(balance)::int as sum from scratch');
    return sum === ACCOUNTS * EACH ? undefined : `the sum is ${sum}`;
  };
  /** One from an account to the next one, by balances that are read, thought about and written. */
  const transfer = (from: number, lock: string, think: () => Promise<unknown>) =>
    books.dataSource.transaction(async (tx) => {
      const to = (from % ACCOUNTS) + 1;
      const read = `select id, balance from scratch where id in ($1, $2) order by id ${lock}`;
      const rows = await tx.query<{ id: number; balance: number }[]>(read, [from, to]);
      await think();
      for (const { id, balance } of rows) {
        const now = balance + (id === to ? 1 : -1);
        await tx.query('update scratch set balance = $2 where id = $1', [id, now]);
      }
    });
  beforeEach(async () => {
    const { dataSource } = books;
    await dataSource.query('truncate scratch');
    await dataSource.query(
      `insert into scratch select id, ${EACH} from generate_series(1, ${ACCOUNTS}) as id`,
    );
  });

  it('sees money come and go where balances are read, thought about and written', async () => {
    const TRANSFERS = 15; // an odd number: each time both read first, and of what is between them one is lost
    const meet = meeting(2);
    const clerk = async (from: number) => {
      for (let turn = 0; turn < TRANSFERS; turn++) await transfer(from, '', meet);
    };
    const { violations } = await watch(Promise.all([clerk(1), clerk(2)]), sumOf);
    expect(violations[0]).toMatch(/^the sum is \d+/);
  });

  it('sees none where they are locked first', async () => {
    const random = new SeededRandom(SEED);
    let looks = 0;
    const look: Read = () => {
      looks += 1;
      return sumOf();
    };
    const clerk = async () => {
      for (let turn = 0; turn < 15 || looks < 6; turn++)
        await transfer(random.integer(1, ACCOUNTS), 'for update', () => sleep(1));
    };
    const { violations } = await watch(Promise.all([clerk(), clerk(), clerk(), clerk()]), look);
    expect(violations).toEqual([]);
  });
});

describe(`a busy hour of the service (SEED=${SEED})`, () => {
  const SIZE = { customers: 2, clients: 4, times: 15 };
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  it('could have happened one after another, and no look at all balances found another sum', async () => {
    const random = new SeededRandom(SEED);
    const scenario = await Scene.of({ platform, urls: [platform.baseUrl] }, random.fork());
    const { contradictions, snapshots, balances, checks, operations } = await dayOfBusiness(
      scenario,
      random,
      SIZE,
    );
    expect(contradictions).toEqual([]);
    for (const { violations } of [snapshots, balances, checks]) expect(violations).toEqual([]);
    expect(operations).toBeGreaterThan(60); // of 2 × 4 × 15 = 120, some of which find nothing to act upon
  });
});
