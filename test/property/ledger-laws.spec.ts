import fc from 'fast-check';
import { violates } from '../../src/database/database-error.js';
import { Money } from '../../src/common/money.js';
import { platformAccount, unitsOf, userAccount } from '../../src/modules/ledger/chart-of-accounts.js';
import {
  ledgerViolations,
  openLedgerFixture,
  errorCodeOf,
  type LedgerFixture,
} from '../fixtures/ledger-fixtures.js';
import { LedgerModel } from '../fixtures/ledger-model.js';
import type { Attempt } from '../fixtures/ledger-model-accounts.js';
import { money } from '../fixtures/ledger-model-accounts.js';
import { ledgerStep, type Step } from '../fixtures/ledger-model-steps.js';
import { repetitions } from '../harness/repetitions.js';

// Any sequence of facts, legal and not, against the real database: what the model of `ledger-model.ts` says is
// refused is refused and leaves nothing behind, what it says is done adds up everywhere.

/** Enough of each outcome, so that none is left to chance. */
const EVERY_OUTCOME: Step[] = [
  ...Array.from({ length: 25 }, (): Step => ({
    kind: 'deposit',
    userIndex: 0,
    asset: 'USDC',
    amount: 1n,
    dust: false,
  })),
  ...Array.from({ length: 25 }, (): Step => ({ kind: 'withdraw', userIndex: 0, amount: 26n })),
  ...Array.from({ length: 25 }, (_, recordIndex): Step => ({ kind: 'repeat', which })),
];

const RUNS = repetitions(40);
const STEPS = 40;

let books: LedgerFixture;

beforeAll(async () => {
  books = await openLedgerFixture();
});
afterAll(() => books.close());

async function outcome({ postings }: Attempt): Promise<string> {
  const work = books.post(...postings);
  const told = await errorCodeOf(work);
  const before = await work.then(
    () => false,
    (error: unknown) => violates(error, 'ledger_transaction_fact'),
  );
  return before ? 'posted before' : told;
}

const fingerprint = async (): Promise<unknown> =>
  books.dataSource.query(`
    select (select count(*) from ledger_transaction) as transactions, (select count(*) from ledger_entry) as entries,
           (select count(*) from ledger_account) as accounts, (select sum(balance * id) from ledger_account) as balances`);

async function platformBalance(account: ReturnType<typeof platformAccount>): Promise<string> {
  const [row] = (await books.dataSource.query(
    `select trim_scale(coalesce(sum(amount), 0)) as sum from ledger_entry where account_id =
       (select id from ledger_account where owner_id = $1 and kind = $2 and scope = $3 and asset = $4)`,
    [account.owner, account.kind, account.scope, account.asset],
  )) as { sum: string }[];
  return (row as { sum: string }).sum;
}

/** The two rules of a balance, and every figure of the model. */
async function requireFunds(model: LedgerModel, userId: string): Promise<void> {
  const purse = model.users.find(({ id }) => id === userId) as LedgerModel['users'][number];
  const { lastMovedAt: _instant, ...funds } = await books.queries.fundsOf(userId);
  const { id: _id, ...expected } = purse;
  const shown = Object.fromEntries(Object.entries(funds).map(([name, sum]) => [name, sum.toString()]));
  expect(shown).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, sum]) => [name, money(sum).toString()])),
  );
  const { available, invested, deposits, withdrawals, earnings, fees } = funds;
  const added = deposits.minus(withdrawals).minus(invested).plus(earnings).minus(fees);
  expect(available.toString()).toBe(added.toString());
}

async function requireStrategies(model: LedgerModel): Promise<void> {
  for (const [index, strategyId] of model.strategies.entries()) {
    const open = money(model.unitsOf(index), 18);
    const issued = await platformBalance(platformAccount('strategy.units', unitsOf(strategyId)));
    expect(issued).toBe(open.negated().toString()); // issued units stand as a negative number
    const held = await Promise.all(
      model.users.map(({ id }) => books.balance(userAccount(id, 'user.units', unitsOf(strategyId)))),
    );
    expect(Money.sum(held.map((units) => Money.of(units ?? '0'))).toString()).toBe(open.toString());
    const accrued = await platformBalance(platformAccount('strategy.accrued', 'USDC', strategyId));
    expect(accrued).toBe(money(model.accrued[index] as bigint).toString());
  }
}

it('keeps its laws through any sequence of facts', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(ledgerStep, { minLength: 5, maxLength: STEPS, size: 'max' }), async (steps) => {
      const model = new LedgerModel();
      for (const tried of steps) {
        const attempt = model.attempt(tried);
        if (!attempt) continue;
        const before = attempt.expected === 'done' ? undefined : await fingerprint();
        expect(await outcome(attempt)).toBe(attempt.expected);
        if (before) expect(await fingerprint()).toEqual(before);
        if (attempt.userId) await requireFunds(model, attempt.userId);
        seen.set(attempt.expected, (seen.get(attempt.expected) ?? 0) + 1);
      }
      await requireStrategies(model);
      for (const { id } of model.users) await requireFunds(model, id);
      expect(await ledgerViolations(books.dataSource)).toEqual([]);
    }),
    { numRuns: RUNS, examples: [[EVERY_OUTCOME]] },
  );
  // The sequences are worth something: each outcome has been met many times.
  for (const expected of ['done', 'INSUFFICIENT_BALANCE', 'posted before'])
    expect(seen.get(expected)).toBeGreaterThan(20);
});
