import fc from 'fast-check';
import { newId } from '../../src/common/ids.js';
import { Money } from '../../src/common/money.js';
import { userAccount, move, type Posting } from '../../src/modules/core/ledger/domain/chart-of-accounts.js';
import { withdrawalReleased, withdrawalRequested } from '../../src/modules/core/ledger/domain/postings.js';
import {
  POSTED_AT,
  violatedInvariants,
  testPosting,
  openLedgerFixture,
  errorCodeOf,
  type LedgerFixture,
} from '../fixtures/ledger-fixtures.js';
import { removeDatabaseLocks } from '../verification/races/lock-free-build.js';
import { SEED } from '../harness/seeded-random.js';
import { repetitions } from '../harness/repetitions.js';

// Jepsen's bank test: random histories run in parallel on a few accounts, and every snapshot of all balances has the same
// sum and no negative balance.

const USERS = 4;
const INITIAL_BALANCE = 1000;
const PARALLEL_HISTORIES = 8;
const POOL_SIZE = PARALLEL_HISTORIES + 2; // no history and no snapshot waits for a connection
const RUNS = repetitions(15);
const MAX_SHRUNK_ACTIONS = 6;
const RACE_ATTEMPTS = 10; // a short history does not lose its race every time, and would then not count as a counterexample

let ledgerFixture: LedgerFixture;

beforeAll(async () => {
  ledgerFixture = await openLedgerFixture(POOL_SIZE);
});
afterAll(() => ledgerFixture.close());

const userIndex = fc.nat(USERS - 1);
const amount = fc.integer({ min: 1, max: 700 }); // two amounts often exceed the balance
const randomAction = fc.oneof(
  fc.record({ verb: fc.constant('transfer' as const), from: userIndex, to: userIndex, amount }),
  fc.record({ verb: fc.constant('reserve' as const), from: userIndex, amount }),
  fc.record({ verb: fc.constant('reserve and release' as const), from: userIndex, amount }),
);
// Short histories are possible, so that counterexamples shrink to a few actions.
const parallelHistories = fc.array(fc.array(randomAction, { minLength: 1, maxLength: 8, size: 'max' }), {
  minLength: 2,
  maxLength: PARALLEL_HISTORIES,
  size: 'max',
});
type Action = typeof randomAction extends fc.Arbitrary<infer A> ? A : never;

/** Each user tries 16 times to reserve 700 of 1000: one attempt succeeds. */
const OVERDRAWING_HISTORIES: Action[][] = Array.from({ length: PARALLEL_HISTORIES }, (_, history) =>
  Array.from({ length: 8 }, () => ({ verb: 'reserve', from: history % USERS, amount: 700 })),
);

function postingsOf(action: Action, users: string[]): Posting[] {
  const userId = users[action.from] as string;
  const money = Money.of(String(action.amount));
  const withdrawal = { withdrawalId: newId(), userId, amount: money, at: POSTED_AT };
  if (action.verb === 'reserve') return [withdrawalRequested(withdrawal)];
  if (action.verb === 'reserve and release')
    return [withdrawalRequested(withdrawal), withdrawalReleased(withdrawal)];
  const from = userAccount(userId, 'user.available');
  const to = userAccount(users[action.to] as string, 'user.available');
  return [testPosting(action.from === action.to ? [] : move(money, from, to))];
}

interface Observations {
  snapshots: number;
  /** The first snapshot with another sum or a negative balance. */
  violation: { sum: string; negative: boolean } | undefined;
  /** Number of occurrences of each outcome. */
  outcomes: Map<string, number>;
}

/** Runs the histories in parallel on new users, and reads snapshots of all balances meanwhile and afterwards. */
async function runInParallel(fixture: LedgerFixture, histories: Action[][]): Promise<Observations> {
  const users = await Promise.all(Array.from({ length: USERS }, () => fixture.user(String(INITIAL_BALANCE))));
  const observed: Observations = { snapshots: 0, violation: undefined, outcomes: new Map() };
  const snapshot = async () => {
    const [row] = (await fixture.dataSource.query(
      `select trim_scale(sum(balance)) as sum, min(balance) < 0 as negative from ledger_account
        where owner_id = any($1) and asset = 'USDC'`,
      [users],
    )) as { sum: string; negative: boolean }[];
    observed.snapshots += 1;
    if (row?.sum !== String(USERS * INITIAL_BALANCE) || row.negative) observed.violation ??= row;
  };
  let running = true;
  const reader = (async () => {
    while (running) await snapshot();
  })();
  const writers = histories.map(async (history) => {
    for (const action of history) {
      const outcome = await errorCodeOf(fixture.post(...postingsOf(action, users)));
      observed.outcomes.set(outcome, (observed.outcomes.get(outcome) ?? 0) + 1);
    }
  });
  await Promise.all(writers).finally(() => (running = false));
  await reader;
  await snapshot();
  return observed;
}

it('the ledger conserves money in every snapshot while histories run in parallel', async () => {
  const outcomes = new Map<string, number>();
  let snapshots = 0;
  await fc.assert(
    fc.asyncProperty(parallelHistories, async (histories) => {
      const observed = await runInParallel(ledgerFixture, histories);
      expect(observed.violation).toBeUndefined();
      snapshots += observed.snapshots;
      for (const [outcome, count] of observed.outcomes)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }),
    { numRuns: RUNS, examples: [[OVERDRAWING_HISTORIES]] },
  );
  expect(await violatedInvariants(ledgerFixture.dataSource)).toEqual([]);
  expect([...outcomes.keys()].sort()).toEqual(['INSUFFICIENT_BALANCE', 'done']); // no deadlock, no time-out
  expect(outcomes.get('INSUFFICIENT_BALANCE')).toBeGreaterThan(20);
  expect(snapshots).toBeGreaterThan(5); // a single run has about thirty
});

it('the bank test finds a violation in a database without locks and constraints, and shrinks it to a few actions', async () => {
  const withoutLocks = await openLedgerFixture(POOL_SIZE);
  await removeDatabaseLocks(withoutLocks.dataSource);
  const result = await fc.check(
    fc.asyncProperty(parallelHistories, async (histories) => {
      for (let attempt = 0; attempt < RACE_ATTEMPTS; attempt++)
        if ((await runInParallel(withoutLocks, histories)).violation) return false;
      return true;
    }),
    { seed: SEED },
  );
  await withoutLocks.close();
  expect(result.failed).toBe(true);
  expect(result.counterexample?.[0].flat().length).toBeLessThanOrEqual(MAX_SHRUNK_ACTIONS);
});

it('concurrent spending that checks the balance first never overdraws the account [SEC-058]', async () => {
  const userId = await ledgerFixture.user('100');
  const available = userAccount(userId, 'user.available');
  const spend = () =>
    errorCodeOf(
      ledgerFixture.unitOfWork.runInTransaction(async (tx) => {
        await ledgerFixture.ledger.requireAvailable(tx, userId, Money.of('7'));
        await ledgerFixture.ledger.post(
          tx,
          testPosting(move(Money.of('7'), available, userAccount(userId, 'user.reserved'))),
        );
      }),
    );
  const outcomes = await Promise.all(Array.from({ length: 40 }, spend));
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(14); // 14 × 7 = 98
  expect(outcomes.filter((outcome) => outcome === 'INSUFFICIENT_BALANCE')).toHaveLength(26);
  expect(await ledgerFixture.balance(available)).toBe('2'); // 100 − 98
});
