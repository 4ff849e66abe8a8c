import fc from 'fast-check';
import { DAY_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { ServiceWithdrawals } from '../fixtures/service-withdrawals.js';
import { transferToCustody } from '../fixtures/transfers.js';
import { unknownHash, withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { repetitions } from '../harness/repetitions.js';

const INTEGRITY = '/api/admin/integrity';
const INVESTMENTS = '/api/user/investments';
const PAYMENT = Money.of('10.00');
/** Limits of the rounds of `moveMoney` for each user. */
const MIN_ROUNDS = 8;
const MAX_ROUNDS = 60;
const CHECKS_DURING_TRAFFIC = 6;

/** An invariant in the JSON of the report, which calls invariants `laws` and the status of a violated one `broken`. */
interface ReportedInvariant {
  name: string;
  status: string;
}
interface IntegrityReport {
  status: string;
  entries: number;
  laws: ReportedInvariant[];
  pause: unknown;
}

const violatedOf = ({ laws }: IntegrityReport) => laws.filter(({ status }) => status === 'broken');

describe('The invariants of the integrity report', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  /** What custody has paid beyond the transfers to it. In the ledger a payment is a credit of its account, with a plus sign. */
  const custodyShortfall = async (): Promise<Money> => {
    const [{ shortfall }] = await platform.dataSource.query(
      `select coalesce(sum(amount), 0) as shortfall from ledger_entry
        where account_id in (select id from ledger_account where kind = 'asset.custody' and asset = 'USDC')`,
    );
    return Money.of(shortfall as string);
  };
  const readReport = async (): Promise<IntegrityReport> => (await platform.as(admin).get(INTEGRITY)).data;

  it('hold on an empty database', async () => {
    const report = await readReport();
    expect(report).toMatchObject({ entries: 0, status: 'holds', pause: null });
    expect(violatedOf(report)).toEqual([]);
  });

  it('hold after random operations of users', async () => {
    const withdrawals = await ServiceWithdrawals.create(platform);
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 40, size: 'max' }),
        async (history) => {
          const user = await platform.given.user().withBalance('2000.00');
          const userHistory = new UserHistory(platform, withdrawals, user);
          for (const step of history) await userHistory.apply(step);
          const report = await readReport();
          // `assets` may be violated: custody has paid, and the transfer to it follows after the last history.
          expect(violatedOf(report).filter(({ name }) => name !== 'assets')).toEqual([]);
          expect(report.pause).toBeNull();
        },
      ),
      { numRuns: repetitions(25), examples: [[FULL_HISTORY]] },
    );
    await transferToCustody(platform, (await custodyShortfall()).toString());
    const report = await readReport();
    expect([report.status, violatedOf(report)]).toEqual(['holds', []]);

    expect(report.entries).toBeGreaterThan(98); // FULL_HISTORY alone has 98
    const [{ statuses }] = await platform.dataSource.query(
      `select array_agg(distinct status order by status) as statuses from withdrawal`,
    );
    expect(statuses).toEqual(['completed', 'failed', 'pending', 'rejected']); // all in which a history leaves a withdrawal
    const [{ daysWithGrowth }] = await platform.dataSource.query(
      `select count(*)::int as "daysWithGrowth" from strategy_accrual where growth <> 0`,
    );
    expect(daysWithGrowth).toBeGreaterThan(10); // FULL_HISTORY alone takes 28 days
  });

  it('hold in every check while users move money concurrently', async () => {
    const steps = await withdrawalSteps(platform);
    const users = await Promise.all(
      Array.from({ length: 4 }, () => platform.given.user().withBalance('5000.00')),
    );
    const payments = Money.sum(Array.from({ length: users.length * MAX_ROUNDS }, () => PAYMENT));
    await transferToCustody(platform, payments.plus(await custodyShortfall()).toString());
    let checks = 0;
    let hasCheckFailed = false;
    let usersMoving = users.length;
    const checkRepeatedly = async () => {
      for (; usersMoving > 0; checks++) {
        const report = await readReport();
        expect([report.status, violatedOf(report)]).toEqual(['holds', []]);
      }
    };
    const isDone = () => hasCheckFailed || checks >= CHECKS_DURING_TRAFFIC;
    // Waits for the checks and all users, also after a failure, so that no request is sent after the end of the test.
    const results = await Promise.allSettled([
      checkRepeatedly().catch((error: unknown) => {
        hasCheckFailed = true;
        throw error;
      }),
      ...users.map((user) => moveMoney(steps, user, isDone).finally(() => usersMoving--)),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(checks).toBeGreaterThanOrEqual(CHECKS_DURING_TRAFFIC);
  });

  /**
   * Each round invests twice and requests a withdrawal, then closes one investment, cancels the other, and completes or rejects
   * the withdrawal.
   */
  async function moveMoney(steps: WithdrawalSteps, user: TestUser, isDone: () => boolean) {
    for (let round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || !isDone()); round++) {
      platform.clock.advance(DAY_MS); // so that NAVs are published meanwhile
      const investment = { strategyId: 'balanced-10', amount: '100.00' };
      const created = await Promise.all([
        platform.as(user).post(INVESTMENTS, investment),
        platform.as(user).post(INVESTMENTS, investment),
        steps.request(user, PAYMENT.toWire()),
      ]);
      expect(created.map(({ status }) => status)).toEqual([201, 201, 201]);
      const [toClose, toCancel, withdrawal] = created.map(({ data }) => data.id as string) as [
        string,
        string,
        string,
      ];
      const changed = await Promise.all([
        platform.as(user).delete(`${INVESTMENTS}/${toClose}`),
        platform.as(user).post(`${INVESTMENTS}/${toCancel}/cancel`),
        steps.take(withdrawal),
      ]);
      expect(changed.map(({ status }) => status)).toEqual([200, 200, 200]);
      const ended = await (round % 2 === 0
        ? steps.complete(withdrawal, unknownHash())
        : steps.reject(withdrawal));
      expect(ended.status).toBe(200);
    }
  }
});
