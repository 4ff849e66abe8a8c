import fc from 'fast-check';
import { violates } from '../../src/common/errors/database-error.js';
import { Money } from '../../src/common/money.js';
import {
  platformAccount,
  unitsOf,
  userAccount,
} from '../../src/modules/core/ledger/domain/chart-of-accounts.js';
import {
  findUserFunds,
  openLedgerFixture,
  errorCodeOf,
  violatedInvariants,
  type LedgerFixture,
} from '../fixtures/ledger-fixtures.js';
import { LedgerModel } from '../fixtures/ledger-model.js';
import type { Attempt } from '../fixtures/ledger-model-accounts.js';
import { money } from '../fixtures/ledger-model-accounts.js';
import { ledgerStep, type Step } from '../fixtures/ledger-model-steps.js';
import { repetitions } from '../harness/repetitions.js';

// Applies random sequences of valid and invalid postings to the real database and to the model in `ledger-model.ts`: both
// refuse the same postings, refused ones change nothing, and all balances agree.

/** Produces each outcome often enough for the counts at the end. */
const EVERY_OUTCOME: Step[] = [
  ...Array.from({ length: 25 }, (): Step => ({
    kind: 'deposit',
    userIndex: 0,
    asset: 'USDC',
    amount: 1n,
    dust: false,
  })),
  ...Array.from({ length: 25 }, (): Step => ({ kind: 'withdraw', userIndex: 0, amount: 26n })), // more than the 25 deposited
  ...Array.from({ length: 25 }, (_, recordIndex): Step => ({ kind: 'repeat', recordIndex })),
];

const RUNS = repetitions(40);
const STEPS = 40;

let ledgerFixture: LedgerFixture;

beforeAll(async () => {
  ledgerFixture = await openLedgerFixture();
});
afterAll(() => ledgerFixture.close());

/** Posts the attempt and returns its outcome in the words of the model. */
async function outcomeOf({ postings }: Attempt): Promise<string> {
  const work = ledgerFixture.post(...postings);
  const code = await errorCodeOf(work);
  const isRepetition = await work.then(
    () => false,
    (error: unknown) => violates(error, 'ledger_transaction_fact'),
  );
  return isRepetition ? 'posted before' : code;
}

/** Counts of rows, and a sum of the balances weighted by account, which also shows a transfer between accounts. */
const ledgerTotals = async (): Promise<unknown> =>
  ledgerFixture.dataSource.query(`
    select (select count(*) from ledger_transaction) as transactions, (select count(*) from ledger_entry) as entries,
           (select count(*) from ledger_account) as accounts, (select sum(balance * id) from ledger_account) as balances`);

async function platformBalance(account: ReturnType<typeof platformAccount>): Promise<string> {
  const [row] = (await ledgerFixture.dataSource.query(
    `select trim_scale(coalesce(sum(amount), 0)) as sum from ledger_entry where account_id =
       (select id from ledger_account where owner_id = $1 and kind = $2 and scope = $3 and asset = $4)`,
    [account.owner, account.kind, account.scope, account.asset],
  )) as { sum: string }[];
  return (row as { sum: string }).sum;
}

/** Compares every figure of a user with the model and checks the balance equation. */
async function requireFunds(model: LedgerModel, userId: string): Promise<void> {
  const user = model.users.find(({ id }) => id === userId) as LedgerModel['users'][number];
  const { lastMovedAt: _unused, ...funds } = await findUserFunds(ledgerFixture.dataSource, userId);
  const { id: _unusedId, ...expected } = user;
  const actual = Object.fromEntries(Object.entries(funds).map(([name, sum]) => [name, sum.toString()]));
  expect(actual).toEqual(
    Object.fromEntries(Object.entries(expected).map(([name, sum]) => [name, money(sum).toString()])),
  );
  const { available, invested, deposits, withdrawals, earnings, fees } = funds;
  const fromFigures = deposits.minus(withdrawals).minus(invested).plus(earnings).minus(fees);
  expect(available.toString()).toBe(fromFigures.toString());
}

/** Compares the units and the accrued growth of each strategy with the model. */
async function requireStrategies(model: LedgerModel): Promise<void> {
  for (const [index, strategyId] of model.strategies.entries()) {
    const open = money(model.unitsOf(index), 18);
    const issued = await platformBalance(platformAccount('strategy.units', unitsOf(strategyId)));
    expect(issued).toBe(open.negated().toString()); // issued units are booked as a negative amount
    const held = await Promise.all(
      model.users.map(({ id }) => ledgerFixture.balance(userAccount(id, 'user.units', unitsOf(strategyId)))),
    );
    expect(Money.sum(held.map((units) => Money.of(units ?? '0'))).toString()).toBe(open.toString());
    const accrued = await platformBalance(platformAccount('strategy.accrued', 'USDC', strategyId));
    expect(accrued).toBe(money(model.accrued[index] as bigint).toString());
  }
}

it('the ledger keeps its invariants and agrees with the model for random sequences of postings', async () => {
  const outcomeCounts = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(ledgerStep, { minLength: 5, maxLength: STEPS, size: 'max' }), async (steps) => {
      const model = new LedgerModel();
      for (const step of steps) {
        const attempt = model.attempt(step);
        if (!attempt) continue;
        const before = attempt.expected === 'done' ? undefined : await ledgerTotals();
        expect(await outcomeOf(attempt)).toBe(attempt.expected);
        if (before) expect(await ledgerTotals()).toEqual(before);
        if (attempt.userId) await requireFunds(model, attempt.userId);
        outcomeCounts.set(attempt.expected, (outcomeCounts.get(attempt.expected) ?? 0) + 1);
      }
      await requireStrategies(model);
      for (const { id } of model.users) await requireFunds(model, id);
      expect(await violatedInvariants(ledgerFixture.dataSource)).toEqual([]);
    }),
    { numRuns: RUNS, examples: [[EVERY_OUTCOME]] },
  );
  for (const expected of ['done', 'INSUFFICIENT_BALANCE', 'posted before'])
    expect(outcomeCounts.get(expected)).toBeGreaterThan(20);
});
