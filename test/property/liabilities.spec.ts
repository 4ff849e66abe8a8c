import fc from 'fast-check';
import { type LiabilityProof, verifyLiability } from '../../client/verify.js';
import { addDays, dayOf, startOfDay, type Day } from '../../src/common/days.js';
import { HOUR_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import { Jobs } from '../../src/jobs/jobs.service.js';
import { DayClosingService } from '../../src/modules/assurance/liabilities/day-closing.service.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import type { TestUser } from '../fixtures/given.js';
import {
  ANY_YIELD,
  FULL_HISTORY,
  historyStep,
  type Step,
  UserHistory,
} from '../fixtures/random-user-history.js';
import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { repetitions } from '../harness/repetitions.js';

const USERS = 3;
const randomSteps = fc.array(historyStep, { minLength: 5, maxLength: 15 });
const NEVER_ABORTED = new AbortController().signal;

describe('The proofs of liabilities of random histories', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;
  /** Users of earlier repetitions belong to every later day. */
  const users: TestUser[] = [];
  let daysWithGrowth = 0;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: {
        INVESTMENT_APPROVAL_THRESHOLD: '800.00',
        PERFORMANCE_FEE_PERCENT: '10',
        ...ANY_YIELD,
        LOG_SEAL_SECONDS: '3600',
        CUSTODY_ADDRESS: '', // so that closing a day does not read the chain
      },
    });
    await platform.app.get(Jobs).get('liabilities-closing').end(); // only the test closes days
    events = new DomainEventFixtures(platform.app);
    await platform.runJob('log-sealing'); // opens the log
  });
  afterAll(() => platform?.stop());

  /** What the users' balances and the ledger show at the last instant of a day. */
  interface EndOfDay {
    readonly day: Day;
    readonly balances: ReadonlyMap<string, Record<'available' | 'reserved' | 'invested', string>>;
    readonly ledger: Record<'available' | 'reserved' | 'invested', string>;
  }

  /** Reads the balances and the ledger at the last instant of the day, and moves the clock to the next day. */
  async function endDay(): Promise<EndOfDay> {
    const day = dayOf(platform.clock.now());
    const tomorrow = startOfDay(addDays(day, 1));
    platform.clock.moveTo(new Date(tomorrow.getTime() - 1));
    const balances = new Map<string, Record<'available' | 'reserved' | 'invested', string>>();
    for (const user of users) {
      const { available, reserved, invested, accruedEarnings } = (
        await platform.as(user).get('/api/user/balance')
      ).data;
      const value = Money.of(invested).plus(Money.of(accruedEarnings)).toWire(); // principal and growth
      balances.set(user.id, { available, reserved, invested: value });
    }
    const rows = await platform.dataSource.query<{ kind: string; sum: string }[]>(
      `select replace(kind, 'user.', '') as kind, sum(balance) from ledger_account
        where asset = 'USDC' and balance is not null group by kind`,
    );
    const sumOf = (kind: string) => Money.of(rows.find((row) => row.kind === kind)?.sum ?? '0').toWire();
    platform.clock.moveTo(new Date(tomorrow.getTime() + HOUR_MS));
    const ledger = {
      available: sumOf('available'),
      reserved: sumOf('reserved'),
      invested: sumOf('invested'),
    };
    return { day, balances, ledger };
  }

  async function verifyDay({ day, balances, ledger }: EndOfDay): Promise<void> {
    const { status, data } = await platform.as(null).get(`/api/proofs/liabilities/${day}`);
    expect(status).toBe(200);
    const [published] = data;
    const sums = { available: Money.ZERO, reserved: Money.ZERO, invested: Money.ZERO };
    for (const user of users.filter(({ id }) => balances.has(id))) {
      const reply = await platform.as(user).get(`/api/user/proof-of-liabilities?day=${day}`);
      const proof = reply.data as LiabilityProof;
      await verifyLiability(proof, published, user.id);
      expect(proof.components).toEqual({ ...balances.get(user.id), held: '0.00' });
      for (const kind of ['available', 'reserved', 'invested'] as const)
        sums[kind] = sums[kind].plus(Money.of(proof.components[kind]));
    }
    expect(published.leaves).toBe(balances.size);
    expect(published.total).toBe(Money.sum(Object.values(sums)).toExact());
    expect([sums.available.toWire(), sums.reserved.toWire()]).toEqual([ledger.available, ledger.reserved]);
    if (sums.invested.toWire() !== ledger.invested) daysWithGrowth++; // the ledger has the principal only
  }

  /**
   * Closes several days at once, so that most entries are later than the midnight of the day that is closed. Retries,
   * because an older transaction that is open on the server, even in another worker's database, delays the closing.
   */
  async function closeAndVerify(days: readonly EndOfDay[]): Promise<void> {
    await platform.as(users[0] as TestUser).get('/api/user/balance'); // publishes missing NAVs
    await eventually(async () => {
      await platform.app.get(DayClosingService).closeDueDays(NEVER_ABORTED);
      const [{ day }] = await platform.dataSource.query('select max(day) as day from liability_day');
      expect(day).toBe(days.at(-1)?.day);
    });
    for (const day of days) await verifyDay(day);
  }

  it('contain the balance of each user at midnight, and their available and reserved sums equal the ledger’s', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomSteps, { minLength: USERS, maxLength: USERS }), async (plans) => {
        const histories: UserHistory[] = [];
        for (let count = 0; count < USERS; count++) {
          const user = await platform.given.user().withBalance('2000.00');
          users.push(user);
          histories.push(new UserHistory(platform, events, user));
        }
        const days: EndOfDay[] = [];
        for (let turn = 0; turn < Math.max(...plans.map(({ length }) => length)); turn++) {
          const stepsOfTurn = plans.map((plan) => plan[turn]);
          for (const [index, history] of histories.entries()) {
            const step = stepsOfTurn[index];
            if (step && step.does !== 'wait') await history.apply(step);
          }
          const waits = stepsOfTurn.map((step) => (step?.does === 'wait' ? step.days : 0));
          for (let passed = 0; passed < Math.max(...waits); passed++) days.push(await endDay());
        }
        days.push(await endDay());
        await closeAndVerify(days);
      }),
      { numRuns: repetitions(8), examples: [[[FULL_HISTORY, [], []] as Step[][]]] },
    );
    expect(daysWithGrowth).toBeGreaterThan(10); // FULL_HISTORY alone has more than 10 days of growth
  });
});
