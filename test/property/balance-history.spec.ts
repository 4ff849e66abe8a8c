import fc from 'fast-check';
import { addDays, dayOf, startOfDay } from '../../src/common/days.js';
import { Money } from '../../src/common/money.js';
import type { TestUser } from '../fixtures/given.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

const FIGURES = ['total', 'available', 'invested', 'reserved', 'accruedEarnings'] as const;
const CHANGES = ['deposits', 'withdrawals', 'earnings', 'fees'] as const;

/** Waits are stretched, so that many investments are seen to have grown. */
const LONGER = 3;

/** What the balance answered at the end of a day, or now. */
interface Answered {
  date: string;
  balance: Record<(typeof FIGURES)[number], string> & { breakdown: Record<(typeof CHANGES)[number], string> };
}

describe('The history of a balance', () => {
  let platform: TestPlatform;
  let happens: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    happens = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform.stop());

  const today = () => dayOf(platform.clock.now());

  async function answered(user: TestUser): Promise<Answered> {
    return { date: today(), balance: (await platform.as(user).get('/api/user/balance')).data };
  }

  /** Goes to the last instant of the day, sees what the balance answers, and goes on to the next morning. */
  async function passDay(user: TestUser): Promise<Answered> {
    const tomorrow = startOfDay(addDays(today(), 1));
    platform.clock.moveTo(new Date(tomorrow.getTime() - 1));
    const seen = await answered(user);
    platform.clock.moveTo(new Date(tomorrow.getTime() + 3_600_000));
    return seen;
  }

  /** What the history should say: figures as they were answered, changes as their differences. */
  function expected(seen: Answered[]): object[] {
    const zero = Object.fromEntries(
      CHANGES.map((name) => [name, '0.00']),
    ) as Answered['balance']['breakdown'];
    return seen.map(({ date, balance }, place) => {
      const before = seen[place - 1]?.balance.breakdown ?? zero;
      const change = CHANGES.map((name) => [
        name,
        Money.of(balance.breakdown[name]).minus(Money.of(before[name])).toWire(),
      ]);
      return {
        date,
        ...Object.fromEntries(FIGURES.map((name) => [name, balance[name]])),
        change: Object.fromEntries(change),
      };
    });
  }

  it('is, for every past day, what the balance answered on that day, and for today what it answers now', async () => {
    let grown = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 30, size: 'max' }),
        async (steps) => {
          const user = await platform.given.user().withBalance('2000.00');
          const [history, seen]: [UserHistory, Answered[]] = [new UserHistory(platform, happens, user), []];
          for (const next of steps) {
            if (next.does !== 'wait') await history.apply(next);
            else for (let day = 0; day < LONGER * next.days; day++) seen.push(await passDay(user));
          }
          seen.push(await answered(user));

          const query = `interval=daily&startDate=${seen[0]?.date}`;
          const { data } = await platform.as(user).get(`/api/user/balance/history?${query}`);
          expect(data).toEqual(expected(seen));
          grown += seen.filter(({ balance }) => balance.accruedEarnings !== '0.00').length;
        },
      ),
      { numRuns: repetitions(20), examples: [[FULL_HISTORY]] },
    );
    const [{ parts }] = await platform.dataSource.query(
      'select count(*)::int as parts from investment_closing where value > principal',
    );
    expect(parts).toBeGreaterThan(0);
    expect(grown).toBeGreaterThan(50); // as the full life alone does: else the lives were too dull
  });
});
