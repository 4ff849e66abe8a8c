import fc from 'fast-check';
import { TotalChecks } from '../../src/lists/total-checks.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import type { TestUser } from '../fixtures/given.js';
import { withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { caughtUp } from '../harness/caught-up.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

/** The rows that each list shows, by the first values that it is filtered by, and their amount. */
const COUNTS = `
  select 'withdrawal' as list, status, chain_check as second, amount from withdrawal
  union all select 'investment', case when is_moved then 'moved' else status end, strategy_id, case when is_moved then 0 else amount end
    from investment, lateral (select exists (select from investment as next where next.moved_from = investment.id) as is_moved) as leg
  union all select 'deposit', status, currency, trunc(amount, 6) from deposit
  union all select 'transaction', status, type, 0 from admin_transaction_list where listed
  union all select 'audit_entry', actor, action, 0 from audit_entry
  union all select 'webhook_event', status, provider, 0 from webhook_event
  union all select 'transaction_request', status, type, 0 from transaction_request
  union all select 'yield_report', state, null, 0 from yield_report
  union all select 'faucet_payout', null, null, 0 from faucet_payout`;

const ENDS = ['none', 'reject', 'take', 'complete'] as const;

describe('The sums of lists', () => {
  let platform: TestPlatform;
  let eventFixtures: DomainEventFixtures;
  let withdrawals: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    eventFixtures = new DomainEventFixtures(platform.app);
    withdrawals = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  async function endWithdrawal(user: TestUser, end: (typeof ENDS)[number]): Promise<void> {
    const { id } = (await withdrawals.request(user, '10.00')).data ?? {};
    if (id === undefined || end === 'none') return; // the history may have left too little money
    if (end === 'reject') return void (await withdrawals.reject(id));
    await withdrawals.take(id);
    if (end === 'complete') await withdrawals.complete(id);
  }

  it('equal counts of the rows after random operations of users, admins and providers', async () => {
    const counted = (source: string) =>
      platform.dataSource.query<{ list: string }[]>(
        `select list, status, second, sum(rows)::int as rows, trim_scale(sum(amount)) as amount
           from (${source}) as part group by 1, 2, 3 having sum(rows) <> 0 order by 1, 2, 3`,
      );
    const lists = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 30, size: 'max' }),
        fc.array(fc.constantFrom(...ENDS), { maxLength: 4 }),
        async (steps, ends) => {
          const user = await platform.given.user().withBalance('2000.00');
          const history = new UserHistory(platform, eventFixtures, user);
          for (const step of steps) await history.apply(step);
          for (const end of ends) await endWithdrawal(user, end);
          await caughtUp(platform);
          const expected = await counted(`select *, 1 as rows from (${COUNTS}) as listed`);
          const sums = await counted(
            `select list, facets[1] as status, facets[2] as second, rows, amount from list_sum where span = 'year'`,
          );
          expect(sums).toEqual(expected);
          for (const { list } of expected) lists.add(list);
          expect(await platform.app.get(TotalChecks).compareWithRows()).toEqual(new Map());
        },
      ),
      { numRuns: repetitions(8), examples: [[FULL_HISTORY, [...ENDS]]] },
    );
    expect([...lists]).toEqual(
      expect.arrayContaining(['audit_entry', 'investment', 'transaction', 'withdrawal', 'yield_report']),
    );
  });
});
