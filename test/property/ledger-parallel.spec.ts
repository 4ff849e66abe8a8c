import fc from 'fast-check';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { userAccount } from '../../src/modules/ledger/chart-of-accounts.js';
import { move, type Posting } from '../../src/modules/ledger/posting.js';
import { withdrawalReleased, withdrawalRequested } from '../../src/modules/ledger/postings.js';
import {
  POSTED_AT,
  ledgerViolations,
  testPosting,
  openLedgerFixture,
  errorCodeOf,
  type LedgerFixture,
} from '../fixtures/ledger-fixtures.js';
import { makeCareless } from '../verification/races/lock-free-build.js';
import { SEED } from '../harness/seeded-random.js';
import { repetitions } from '../harness/repetitions.js';

// Random histories that run at the same time on a few accounts, after Jepsen's test of a bank: whoever reads all
// balances in one snapshot sees the same sum, at every moment, and nothing below zero.

const USERS = 4;
const EACH = 1000; // what every user begins with
const LANES = 8; // histories at a time
const RUNS = repetitions(15);
const FEW = 6;

let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture(LANES + 2);
});
afterAll(() => books.close());

const who = fc.nat(USERS - 1);
const amount = fc.integer({ min: 1, max: 700 }); // two of them are often too much
const action = fc.oneof(
  fc.record({ verb: fc.constant('give' as const), who, to: who, amount }),
  fc.record({ verb: fc.constant('reserve' as const), who, amount }),
  fc.record({ verb: fc.constant('reserve and release' as const), who, amount }),
);
// The least of them are small, so that what is found shrinks to a few commands.
const lanes = fc.array(fc.array(action, { minLength: 1, maxLength: 8, size: 'max' }), {
  ...{ minLength: 2, maxLength: LANES, size: 'max' },
});
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** All want more than there is: of 16 tries of each user one succeeds. */
const SCARCITY: Action[][] = Array.from({ length: LANES }, (_, lane) =>
  Array.from({ length: 8 }, () => ({ verb: 'reserve', who: lane % USERS, amount: 700 })),
);

function postingsOf(does: Action, users: string[]): Posting[] {
  const [userId, money] = [users[does.who] as string, Money.of(String(does.amount))];
  const withdrawal = { withdrawalId: newId(), userId, amount: money, at: POSTED_AT };
  if (does.verb === 'reserve') return [withdrawalRequested(withdrawal)];
  if (does.verb === 'reserve and release')
    return [withdrawalRequested(withdrawal), withdrawalReleased(withdrawal)];
  const [from, to] = [
    userAccount(userId, 'user.available'),
    userAccount(users[does.to] as string, 'user.available'),
  ];
  return [testPosting(does.who === does.to ? [] : move(money, from, to))];
}

interface Seen {
  snapshots: number;
  /** The first snapshot in which the sum is another one or somebody has less than nothing. */
  wrong: { sum: string; negative: boolean } | undefined;
  /** How often each outcome came. */
  outcomes: Map<string, number>;
}

/** Lives the histories side by side, with users of their own, and reads all their balances meanwhile and afterwards. */
async function live({ dataSource, ...bank }: LedgerFixture, histories: Action[][]): Promise<Seen> {
  const users = await Promise.all(Array.from({ length: USERS }, () => bank.user(String(EACH))));
  const seen: Seen = { snapshots: 0, wrong: undefined, outcomes: new Map() };
  const snapshot = async () => {
    const [row] = (await dataSource.query(
      `select trim_scale(sum(balance)) as sum, min(balance) < 0 as negative from ledger_account
        where owner_id = any($1) and asset = 'USDC'`,
      [users],
    )) as { sum: string; negative: boolean }[];
    seen.snapshots += 1;
    if (row?.sum !== String(USERS * EACH) || row.negative) seen.wrong ??= row;
  };
  let running = true;
  const reader = (async () => {
    while (running) await snapshot();
  })();
  const writers = histories.map(async (history) => {
    for (const does of history) {
      const outcome = await errorCodeOf(bank.post(...postingsOf(does, users)));
      seen.outcomes.set(outcome, (seen.outcomes.get(outcome) ?? 0) + 1);
    }
  });
  await Promise.all(writers).finally(() => (running = false));
  await reader;
  await snapshot();
  return seen;
}

it('conserves money in every snapshot while histories run in parallel', async () => {
  const outcomes = new Map<string, number>();
  let snapshots = 0;
  await fc.assert(
    fc.asyncProperty(lanes, async (histories) => {
      const seen = await live(books, histories);
      expect(seen.wrong).toBeUndefined();
      snapshots += seen.snapshots;
      for (const [outcome, count] of seen.outcomes)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }),
    { numRuns: RUNS, examples: [[SCARCITY]] },
  );
  expect(await ledgerViolations(books.dataSource)).toEqual([]);
  expect([...outcomes.keys()].sort()).toEqual(['INSUFFICIENT_BALANCE', 'done']); // no deadlock, no time-out
  expect(outcomes.get('INSUFFICIENT_BALANCE')).toBeGreaterThan(20);
  expect(snapshots).toBeGreaterThan(5); // one run alone has some thirty: else nothing was seen
});

it('shrinks what is wrong to a few commands, where the database keeps no law', async () => {
  const lockFreeBuild = await openLedgerFixture(LANES + 2);
  await makeCareless(lockFreeBuild.dataSource);
  const found = await fc.check(
    fc.asyncProperty(lanes, async (histories) => (await live(lockFreeBuild, histories)).wrong === undefined),
    { seed: SEED },
  );
  await lockFreeBuild.close();
  expect(found.failed).toBe(true);
  expect(found.counterexample?.[0].flat().length).toBeLessThanOrEqual(FEW);
});

it('loses no money where spenders look before they leap [SEC-058]', async () => {
  const userId = await books.user('100');
  const available = userAccount(userId, 'user.available');
  const spend = () =>
    errorCodeOf(
      books.unitOfWork.runInTransaction(async (tx) => {
        await books.ledger.requireAvailable(tx, userId, Money.of('7'));
        await books.ledger.post(
          tx,
          testPosting(move(Money.of('7'), available, userAccount(userId, 'user.reserved'))),
        );
      }),
    );
  const answers = await Promise.all(Array.from({ length: 40 }, spend));
  expect(answers.filter((answer) => answer === 'done')).toHaveLength(14); // 14 × 7 = 98
  expect(answers.filter((answer) => answer === 'INSUFFICIENT_BALANCE')).toHaveLength(26);
  expect(await books.balance(available)).toBe('2'); // 100 − 98
});
