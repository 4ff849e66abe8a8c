import fc from 'fast-check';
import { addDays, dayOf, startOfDay } from '../../src/common/days.js';
import { HOUR_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import type { TestUser } from '../fixtures/given.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

const FIGURES = ['total', 'available', 'invested', 'reserved', 'accruedEarnings'] as const;
const CHANGES = ['deposits', 'withdrawals', 'earnings', 'fees'] as const;

/** Multiplies the days of each step `wait`, so that many investments grow. */
const WAIT_FACTOR = 3;

/** A user's balance on `date`: at the end of the day, or at present if it is today. */
interface BalanceAtTime {
  date: string;
  balance: Record<(typeof FIGURES)[number], string> & { breakdown: Record<(typeof CHANGES)[number], string> };
}

describe('GET /api/user/balance/history', () => {
  let platform: TestPlatform;
  let eventFixtures: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    eventFixtures = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const today = () => dayOf(platform.clock.now());

  async function readBalance(user: TestUser): Promise<BalanceAtTime> {
    return { date: today(), balance: (await platform.as(user).get('/api/user/balance')).data };
  }

  /** Reads the balance at the last instant of the day and moves the clock to the next day. */
  async function endDay(user: TestUser): Promise<BalanceAtTime> {
    const tomorrow = startOfDay(addDays(today(), 1));
    platform.clock.moveTo(new Date(tomorrow.getTime() - 1));
    const balance = await readBalance(user);
    platform.clock.moveTo(new Date(tomorrow.getTime() + HOUR_MS));
    return balance;
  }

  /** The growth of each day since `from` in the user's statement. */
  async function growthByDay(user: TestUser, from: string): Promise<Map<string, Money>> {
    const { growth } = (await platform.as(user).get(`/api/user/statement?from=${from}`)).data;
    const days = new Map<string, Money>();
    for (const row of growth as { date: string; growth: string }[])
      days.set(row.date, (days.get(row.date) ?? Money.ZERO).plus(Money.of(row.growth)));
    return days;
  }

  /**
   * The expected history: the recorded balances, the growth by day, and as `change` the difference from the balance before.
   */
  function expectedHistory(balances: BalanceAtTime[], growth: Map<string, Money>): object[] {
    const zero = Object.fromEntries(
      CHANGES.map((name) => [name, '0.00']),
    ) as BalanceAtTime['balance']['breakdown'];
    return balances.map(({ date, balance }, index) => {
      const before = balances[index - 1]?.balance.breakdown ?? zero;
      const change = CHANGES.map((name) => [
        name,
        Money.of(balance.breakdown[name]).minus(Money.of(before[name])).toWire(),
      ]);
      return {
        date,
        ...Object.fromEntries(FIGURES.map((name) => [name, balance[name]])),
        growth: date === today() ? null : (growth.get(date) ?? Money.ZERO).toWire(),
        change: Object.fromEntries(change),
      };
    });
  }

  it('returns the balance at the end of each past day and the current balance for today', async () => {
    let balancesWithGrowth = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 30, size: 'max' }),
        async (steps) => {
          const user = await platform.given.user().withBalance('2000.00');
          const history = new UserHistory(platform, eventFixtures, user);
          const balances: BalanceAtTime[] = [];
          for (const step of steps) {
            if (step.does !== 'wait') {
              await history.apply(step);
              continue;
            }
            for (let day = 0; day < WAIT_FACTOR * step.days; day++) balances.push(await endDay(user));
          }
          balances.push(await readBalance(user));

          const first = balances[0]?.date as string;
          const query = `interval=daily&startDate=${first}`;
          const { data } = await platform.as(user).get(`/api/user/balance/history?${query}`);
          expect(data).toEqual(expectedHistory(balances, await growthByDay(user, first)));
          balancesWithGrowth += balances.filter(({ balance }) => balance.accruedEarnings !== '0.00').length;
        },
      ),
      { numRuns: repetitions(20), examples: [[FULL_HISTORY]] },
    );
    const [{ partialClosingsWithGrowth }] = await platform.dataSource.query(
      'select count(*)::int as "partialClosingsWithGrowth" from investment_closing where value > principal',
    );
    expect(partialClosingsWithGrowth).toBeGreaterThan(0);
    expect(balancesWithGrowth).toBeGreaterThan(50); // FULL_HISTORY alone has more than 50
  });
});
