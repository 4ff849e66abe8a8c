import fc from 'fast-check';
import { Money } from '../../src/common/money.js';
import type { TestUser } from '../fixtures/given.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

describe('The balance after random operations of a user', () => {
  let platform: TestPlatform;
  let eventFixtures: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    eventFixtures = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const sum = (texts: string[]) => Money.sum(texts.map((text) => Money.of(text)));

  async function requireRules(user: TestUser): Promise<void> {
    const { data } = await platform.as(user).get('/api/user/balance');
    const total = Money.of(data.total);
    const available = Money.of(data.available);
    const invested = Money.of(data.invested);
    const { deposits, withdrawals, earnings, fees } = data.breakdown;
    expect(total.toWire()).toBe(available.plus(invested).toWire());
    const fromBreakdown = sum([deposits, earnings])
      .minus(sum([withdrawals, fees]))
      .minus(invested);
    expect(available.toWire()).toBe(fromBreakdown.toWire());
    const positions = data.investments as { amount: string; currentValue: string }[];
    expect(invested.toWire()).toBe(sum(positions.map((position) => position.amount)).toWire());
    expect(data.accruedEarnings).toBe(
      sum(positions.map((position) => position.currentValue))
        .minus(invested)
        .toWire(),
    );
    expect(available.isNegative() || invested.isNegative()).toBe(false);
    expect(available.toWire()).toBe(await sumOfTransactions(user));
  }

  /** The sum of `balanceChange` over all transactions of the user in the API. */
  async function sumOfTransactions(user: TestUser): Promise<string> {
    const changes: string[] = [];
    for (let page = 1, hasNext = true; hasNext; page++) {
      const { data, body } = await platform.as(user).get(`/api/user/transactions?limit=100&page=${page}`);
      changes.push(
        ...data.map(({ metadata }: { metadata: { balanceChange: string } }) => metadata.balanceChange),
      );
      hasNext = body.pagination.hasNext;
    }
    return sum(changes).toWire();
  }

  it('satisfies the balance equations, and its available part is the sum of the transactions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 40, size: 'max' }),
        async (steps) => {
          const history = new UserHistory(
            platform,
            eventFixtures,
            await platform.given.user().withBalance('2000.00'),
          );
          for (const step of steps) await history.apply(step);
          await requireRules(history.user);
        },
      ),
      { numRuns: repetitions(30), examples: [[FULL_HISTORY]] },
    );
    const [{ kinds }] = await platform.dataSource.query(
      "select array_agg(distinct type || ' ' || status order by type || ' ' || status) as kinds from user_transaction",
    );
    const [{ moved }] = await platform.dataSource.query(
      'select count(moved_from)::int as moved from investment',
    );
    const [{ partialClosingsWithGrowth }] = await platform.dataSource.query(
      'select count(*)::int as "partialClosingsWithGrowth" from investment_closing where value > principal',
    );
    // Cancelling pays at most the first principal: growth that a move has added to the amount is taken back.
    const [{ cancelledBelowAmount, growthTakenBack }] = await platform.dataSource.query(
      `select count(*) filter (where status = 'cancelled' and final_value < amount)::int as "cancelledBelowAmount",
              count(*) filter (where status = 'cancelled' and final_value < amount and final_value = first_principal)::int
                as "growthTakenBack" from investment`,
    );
    const [{ closedBelowValue }] = await platform.dataSource.query(
      `select count(*) filter (where status = 'closed')::int as "closedBelowValue" from investment where forfeited > 0`,
    );
    expect(moved).toBeGreaterThan(0);
    expect(cancelledBelowAmount).toBeGreaterThan(0);
    expect(growthTakenBack).toBeGreaterThan(0);
    expect(closedBelowValue).toBeGreaterThan(0);
    expect(partialClosingsWithGrowth).toBeGreaterThan(0);
    expect(kinds).toEqual([
      'deposit completed',
      'divestment completed',
      'earning completed',
      'fee completed',
      'investment completed',
      'withdrawal cancelled',
      'withdrawal completed',
      'withdrawal failed',
      'withdrawal pending',
    ]); // the generated histories contained every kind
  });
});
