import fc from 'fast-check';
import { DAY_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import { violatedInvariants } from '../fixtures/ledger-fixtures.js';
import type { TestUser } from '../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { treasurySteps, type TreasurySteps } from '../fixtures/treasury.js';
import { repetitions } from '../harness/repetitions.js';

// After random sequences of bookings and transfers the ledger's invariants and the balance equations hold, and once all
// planned transfers are carried out, the deposit provider holds exactly the available balances of all users.

/** Selects a user, a row or a strategy, modulo their number. */
const index = fc.nat(50);
const amount = fc
  .integer({ min: 1_000_000, max: 400_000_000 })
  .map((micro) => (micro / 1_000_000).toFixed(6));
const randomStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ action: fc.constantFrom('deposit', 'withdrawal'), amount, index }) },
  { weight: 3, arbitrary: fc.record({ action: fc.constant('invest' as const), amount, index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constantFrom('close', 'withdraw', 'cancel', 'failAndReverse'),
      amount,
      index,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      action: fc.constantFrom('approve', 'confirm', 'generate', 'execute'),
      amount,
      index,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ action: fc.constantFrom('reject', 'complete', 'wait'), amount, index }),
  },
);
type Step = typeof randomStep extends fc.Arbitrary<infer Value> ? Value : never;

const approveAndConfirm: Step[] = [
  { action: 'approve', amount: '1.000000', index: 0 },
  { action: 'confirm', amount: '1.000000', index: 0 },
];
/** Leads to every kind of transaction. */
const EVERY_KIND: Step[] = [
  { action: 'deposit', amount: '100.000000', index: 0 },
  ...approveAndConfirm,
  { action: 'withdrawal', amount: '50.000000', index: 0 },
  ...approveAndConfirm,
  { action: 'failAndReverse', amount: '20.000000', index: 0 },
  ...approveAndConfirm,
  { action: 'withdraw', amount: '30.000000', index: 0 }, // reserved; a sweep moves it to custody
  { action: 'invest', amount: '300.000000', index: 0 },
  { action: 'generate', amount: '1.000000', index: 0 }, // plans an allocation
  { action: 'close', amount: '1.000000', index: 0 }, // requires a deallocation
  { action: 'cancel', amount: '1.000000', index: 0 }, // requires the swept amount to come back
];

const STRATEGIES = ['conservative-5', 'balanced-10', 'aggressive-20'];

describe('Random treasury operations', () => {
  let platform: TestPlatform;
  let steps: TreasurySteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await treasurySteps(platform);
  });
  afterAll(() => platform?.stop());

  const itemAt = <Row>(rows: Row[], index: number): Row | undefined => rows[index % Math.max(1, rows.length)];
  const ids = async (query: string): Promise<string[]> =>
    (await platform.as(steps.admin).get(`/api/admin/transactions?limit=100&${query}`)).data.transactions.map(
      ({ id }: { id: string }) => id,
    );

  /** Performs a step; refused requests are ignored. */
  async function perform({ action, amount, index }: Step, users: TestUser[]): Promise<unknown> {
    const user = itemAt(users, index) as TestUser;
    /** The id of a transaction in this status; empty, which the API refuses, without any. */
    const idIn = async (status: string) => itemAt(await ids(`status=${status}`), index) ?? '';
    switch (action) {
      case 'deposit':
      case 'withdrawal':
        return steps.create({ type: action, userId: user.id, amount });
      case 'invest': {
        const strategyId = itemAt(STRATEGIES, index);
        return platform.as(user).post('/api/user/investments', { strategyId, amount });
      }
      case 'close': {
        const open = (await platform.as(user).get('/api/user/investments?status=active')).data;
        const chosen = itemAt(open as { id: string }[], index);
        return chosen && platform.as(user).delete(`/api/user/investments/${chosen.id}`);
      }
      case 'withdraw':
        return steps.withdrawals.request(user, amount);
      case 'cancel': {
        const withdrawals = (await platform.as(user).get('/api/user/withdrawals')).data.requests;
        const open = withdrawals.filter(({ status }: { status: string }) => status === 'pending');
        const chosen = itemAt(open as { id: string }[], index);
        return chosen && platform.as(user).post(`/api/user/withdrawals/${chosen.id}/cancel`);
      }
      case 'failAndReverse': {
        const { status, data } = await steps.withdrawals.request(user, amount);
        if (status !== 201) return;
        await steps.withdrawals.take(data.id);
        await steps.withdrawals.fail(data.id);
        return steps.create({ type: 'reversal', withdrawalId: data.id, amount });
      }
      case 'approve':
        return steps.approve(await idIn('pending'));
      case 'confirm':
        return steps.confirm(await idIn('processing'));
      case 'reject':
        return steps.reject(await idIn('pending'));
      case 'generate':
        return steps.generateWithRetry();
      case 'execute':
        return steps.execute();
      case 'complete': {
        const request = itemAt(await steps.requests('&status=pending'), index) as { id: string } | undefined;
        return request && steps.complete(request.id);
      }
      case 'wait':
        return platform.clock.advance(DAY_MS);
    }
  }

  async function executeAllTransfers(): Promise<void> {
    await steps.generateWithRetry();
    for (const id of await ids('type=transfer&status=pending')) await steps.approve(id);
    let created: number;
    do {
      created = (await steps.execute()).data.requests.length;
      for (const { id } of await steps.requests('&status=pending')) await steps.complete(id);
    } while (created > 0);
  }

  async function requireRules(user: TestUser): Promise<void> {
    const { data } = await platform.as(user).get('/api/user/balance');
    const { deposits, withdrawals, earnings, fees } = data.breakdown;
    expect(data.total).toBe(Money.of(data.available).plus(Money.of(data.invested)).toWire());
    expect(data.available).toBe(
      Money.of(deposits)
        .minus(Money.of(withdrawals))
        .minus(Money.of(data.invested))
        .plus(Money.of(earnings))
        .minus(Money.of(fees))
        .toWire(),
    );
    const transactions = (await platform.as(user).get('/api/user/transactions?limit=100')).data;
    const changes = transactions.map(({ metadata }: any) => Money.of(metadata.balanceChange));
    expect(Money.sum(changes).toWire()).toBe(data.available);
  }

  it('keep the invariants of the ledger, and leave the deposit provider with exactly the available balances', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomStep, { minLength: 15, maxLength: 30, size: 'max' }),
        async (randomSteps) => {
          const users = [
            await platform.given.user().withBalance('1000.00'),
            await platform.given.user().withBalance('500.00'),
          ];
          for (const step of randomSteps) await perform(step, users);
          await executeAllTransfers();

          expect(await violatedInvariants(platform.dataSource)).toEqual([]);
          for (const user of users) await requireRules(user);
          const [{ held, owed }] = await platform.dataSource.query(
            `select -sum(amount) filter (where kind = 'asset.deposit-provider') as held,
                  sum(amount) filter (where kind = 'user.available') as owed
             from ledger_entry join ledger_account as account on account.id = account_id
            where account.asset = 'USDC' and kind in ('asset.deposit-provider', 'user.available')`,
          );
          expect(Money.of(held).toWire()).toBe(Money.of(owed).toWire());
        },
      ),
      { numRuns: repetitions(12), examples: [[EVERY_KIND]] },
    );
    const kinds = await platform.dataSource.query(
      `select distinct coalesce(purpose, type) as kind from admin_transaction where status = 'confirmed' order by 1`,
    );
    expect(kinds.map(({ kind }: { kind: string }) => kind)).toEqual([
      'allocate',
      'deallocate',
      'deposit',
      'reversal',
      'sweep',
      'withdrawal',
    ]); // the generated steps contained every kind
  });
});
