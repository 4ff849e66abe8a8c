import fc from 'fast-check';
import { violates } from '../../src/database/database-error.js';
import { Money } from '../../src/common/money.js';
import { platformAccount, unitsOf, userAccount } from '../../src/modules/ledger/domain/chart-of-accounts.js';
import {
  findUserFunds,
  openBooks,
  refusal,
  violatedInvariants,
  type Books,
} from '../fixtures/ledger-fixtures.js';
import { Model } from '../fixtures/ledger-model.js';
import type { Attempt } from '../fixtures/ledger-model-accounts.js';
import { money } from '../fixtures/ledger-model-accounts.js';
import { step, type Step } from '../fixtures/ledger-model-steps.js';
import { repetitions } from '../harness/repetitions.js';

// Random sequences of valid and invalid postings against PostgreSQL: the ledger refuses the same postings as the model in
// `ledger-model.ts`, without a trace, and computes the same balances for valid ones.

/** A sequence with every outcome. */
const EVERY_OUTCOME: Step[] = [
  ...Array.from({ length: 25 }, (): Step => ({
    kind: 'deposit',
    who: 0,
    asset: 'USDC',
    amount: 1n,
    dust: false,
  })),
  ...Array.from({ length: 25 }, (): Step => ({ kind: 'withdraw', who: 0, amount: 26n })),
  ...Array.from({ length: 25 }, (_, which): Step => ({ kind: 'repeat', which })),
];

const RUNS = repetitions(40);
const STEPS = 40;

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

async function outcome({ postings }: Attempt): Promise<string> {
  const work = books.post(...postings);
  const told = await refusal(work);
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

/** Compares funds with the model and checks the rules of a balance. */
async function requireFunds(model: Model, userId: string): Promise<void> {
  const purse = model.purses.find(({ id }) => id === userId) as Model['purses'][number];
  const { lastMovedAt: _instant, ...funds } = await findUserFunds(books.dataSource, userId);
  const { id: _id, ...expected } = purse;
  const shown = Object.fromEntries(Object.entries(funds).map(([name, sum]) => [name, sum.toString()]));
  expect(shown).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, sum]) => [name, money(sum).toString()])),
  );
  const { available, invested, deposits, withdrawals, earnings, fees } = funds;
  const added = deposits.minus(withdrawals).minus(invested).plus(earnings).minus(fees);
  expect(available.toString()).toBe(added.toString());
}

async function requireStrategies(model: Model): Promise<void> {
  for (const [index, strategyId] of model.strategies.entries()) {
    const open = money(model.unitsOf(index), 18);
    const issued = await platformBalance(platformAccount('strategy.units', unitsOf(strategyId)));
    expect(issued).toBe(open.negated().toString()); // issued units are stored as a negative number
    const held = await Promise.all(
      model.purses.map(({ id }) => books.balance(userAccount(id, 'user.units', unitsOf(strategyId)))),
    );
    expect(Money.sum(held.map((units) => Money.of(units ?? '0'))).toString()).toBe(open.toString());
    const accrued = await platformBalance(platformAccount('strategy.accrued', 'USDC', strategyId));
    expect(accrued).toBe(money(model.accrued[index] as bigint).toString());
  }
}

it('keeps its invariants through random sequences of postings', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: STEPS, size: 'max' }), async (steps) => {
      const model = new Model();
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
      for (const { id } of model.purses) await requireFunds(model, id);
      expect(await violatedInvariants(books.dataSource)).toEqual([]);
    }),
    { numRuns: RUNS, examples: [[EVERY_OUTCOME]] },
  );
  // Each outcome occurred often enough.
  for (const expected of ['done', 'INSUFFICIENT_BALANCE', 'posted before'])
    expect(seen.get(expected)).toBeGreaterThan(20);
});
