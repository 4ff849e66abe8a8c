import fc from 'fast-check';
import { DAY_MS } from '../../src/common/durations.js';
import { Money } from '../../src/common/money.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { ANY_YIELD, FULL_HISTORY, UserHistory, historyStep } from '../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { ServiceWithdrawals } from '../fixtures/service-withdrawals.js';
import { transferToCustody } from '../fixtures/transfers.js';
import { unknownHash, withdrawalSteps } from '../fixtures/withdrawals.js';
import { repetitions } from '../harness/repetitions.js';

const CHECK = '/api/admin/integrity';
const INVESTMENTS = '/api/user/investments';

interface ReportedInvariant {
  name: string;
  status: string;
  breaks: unknown[];
}

/** The JSON of the report has the names `laws`, `broken` and `breaks`. */
const violatedOf = (laws: ReportedInvariant[]) => laws.filter(({ status }) => status === 'broken');

describe('The invariants of the integrity report', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '800.00', PERFORMANCE_FEE_PERCENT: '10', ...ANY_YIELD },
    });
    admin = await platform.given.admin();
  });
  afterAll(() => platform.stop());

  /** Sum of the custody account's entries: negative payments plus transfers. */
  const paidByCustody = async (): Promise<Money> => {
    const [{ paid }] = await platform.dataSource.query(
      `select sum(amount) as paid from ledger_entry
        where account_id in (select id from ledger_account where kind = 'asset.custody' and asset = 'USDC')`,
    );
    return Money.of(paid as string);
  };
  const check = async () => (await platform.as(admin).get(CHECK)).data;

  it('hold on an empty database', async () => {
    const { entries, laws, status, pause } = await check();
    expect({ entries, broken: violatedOf(laws), status, pause }).toEqual({
      entries: 0,
      broken: [],
      status: 'holds',
      pause: null,
    });
  });

  it('hold after random operations of users', async () => {
    const withdrawals = await ServiceWithdrawals.create(platform);
    await fc.assert(
      fc.asyncProperty(
        fc.array(historyStep, { minLength: 10, maxLength: 40, size: 'max' }),
        async (steps) => {
          const history = new UserHistory(
            platform,
            withdrawals,
            await platform.given.user().withBalance('2000.00'),
          );
          for (const step of steps) await history.apply(step);
          const { laws, pause } = await check();
          // `assets` may be violated for a while: custody pays before operators record the transfer to it.
          expect(violatedOf(laws).filter(({ name }) => name !== 'assets')).toEqual([]);
          expect(pause).toBeNull();
        },
      ),
      { numRuns: repetitions(25), examples: [[FULL_HISTORY]] },
    );
    // 1000.00 more for the payments of the next test.
    await transferToCustody(platform, (await paidByCustody()).plus(Money.of('1000.00')).toString());
    const { status, laws, entries } = await check();
    expect([status, violatedOf(laws)]).toEqual(['holds', []]);
    expect(entries).toBeGreaterThan(140); // 98 of FULL_HISTORY, and 24 deposits of two entries each
    const [{ kinds }] = await platform.dataSource.query(
      `select array_agg(distinct status order by status) as kinds from withdrawal`,
    );
    expect(kinds).toEqual(['completed', 'failed', 'pending', 'rejected']); // the generated histories contained every status
    const [{ accrued }] = await platform.dataSource.query(
      `select count(*)::int as accrued from strategy_accrual where growth <> 0`,
    );
    expect(accrued).toBeGreaterThan(10);
  });

  it('hold in every check while users move money concurrently', async () => {
    const steps = await withdrawalSteps(platform);
    const users = await Promise.all(
      Array.from({ length: 4 }, () => platform.given.user().withBalance('5000.00')),
    );
    let isOver = false;
    let checks = 0;
    const isCheckedOften = () => checks > 5;
    const traffic = Promise.all(users.map((user) => moveMoney(steps, user, isCheckedOften))).finally(
      () => (isOver = true),
    );
    while (!isOver) {
      const { status, laws } = await check();
      expect([status, violatedOf(laws)]).toEqual(['holds', []]);
      checks += 1;
    }
    await traffic;
  });

  /** Runs at least eight rounds, and further ones until `isDone`. */
  async function moveMoney(
    steps: Awaited<ReturnType<typeof withdrawalSteps>>,
    user: TestUser,
    isDone: () => boolean,
  ) {
    for (let round = 0; round < 8 || !isDone(); round++) {
      platform.clock.advance(DAY_MS); // so that NAVs are published meanwhile
      const body = { strategyId: 'balanced-10', amount: '100.00' };
      const [toClose, toCancel, withdrawal] = await Promise.all([
        platform.as(user).post(INVESTMENTS, body),
        platform.as(user).post(INVESTMENTS, body),
        steps.request(user, '10.00'),
      ]);
      await Promise.all([
        platform.as(user).delete(`${INVESTMENTS}/${toClose.data.id}`),
        platform.as(user).post(`${INVESTMENTS}/${toCancel.data.id}/cancel`),
        steps.take(withdrawal.data.id),
      ]);
      if (round % 2 === 0) await steps.complete(withdrawal.data.id, unknownHash());
      else await steps.reject(withdrawal.data.id);
      expect([toClose.status, toCancel.status, withdrawal.status]).toEqual([201, 201, 201]);
    }
  }
});
