import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS, InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';

const START = '2026-03-02T10:00:00.000Z';

describe('Investments', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  afterEach(() => platform?.stop());

  /** Starts a platform with the settings, on which Ann creates one investment of each amount. */
  async function annInvests(settings: Record<string, string>, ...amounts: string[]) {
    platform = await startPlatform({ settings, at: START });
    steps = new InvestmentSteps(platform);
    const ann = await platform.given.user().withBalance('5000.00');
    const ids = [];
    for (const amount of amounts) ids.push(await steps.create(ann, amount));
    return { ann, ids: ids as [string, ...string[]] };
  }

  it('cannot be moved while pending, and need no further approval for a move once they are active', async () => {
    const { ann, ids } = await annInvests({ INVESTMENT_APPROVAL_THRESHOLD: '1000' }, '1000.00');
    const [id] = ids;
    const refused = await steps.move(ann, id);
    expect(refused.body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'pending', action: 'move', allowedFrom: ['active'] },
    });
    await platform.app.get(InvestmentsService).approve(id, 'admin@example.com');
    expect((await steps.move(ann, id)).data).toMatchObject({ status: 'active', amount: '1000.00' });
    await steps.requireBalanceRules(ann);
  });

  it('are listed as pending and counted with their principal until their approval', async () => {
    const { ann, ids } = await annInvests({ INVESTMENT_APPROVAL_THRESHOLD: '1000' }, '1000.00', '400.00');
    steps.advanceDays(5);
    const withoutGrowth = {
      status: 'pending',
      currentValue: '1000.00',
      totalEarnings: '0.00',
      nextYieldDate: null,
    };
    expect(await steps.detail(ann, ids[0])).toMatchObject(withoutGrowth);
    const { data, summary, pagination } = await steps.list(ann, '&limit=1');
    expect(data).toMatchObject([{ id: ids[0], ...withoutGrowth }]);
    expect(pagination).toMatchObject({ total: 2, totalPages: 2 });
    expect(summary).toMatchObject({
      totalInvested: '1400.00', // of both pages
      totalCurrentValue: '1400.418016', // 1000.00 + 400 × 1.1^(4/365) = 400.4180163…
      activeInvestments: 1,
    });
    expect((await steps.list(ann, '&status=active')).data).toHaveLength(1);
    const { data: performance } = await platform.as(ann).get(`${INVESTMENTS}/performance`);
    expect(performance.breakdown).toEqual({
      byStatus: { active: 1, paused: 0, closed: 0 },
      byStrategy: { 'balanced-10': 2 },
    });
    expect(performance.portfolio.totalInvested).toBe('1400.00');
    expect((await platform.as(ann).get('/api/user/balance')).data.invested).toBe('1400.00');
  });

  it('can be moved during the lock-up, which is not extended', async () => {
    const { ann, ids } = await annInvests({ INVESTMENT_LOCK_DAYS: '7' }, '100.00');
    steps.advanceDays(5);
    const { status, data } = await steps.move(ann, ids[0]);
    expect(status).toBe(200);
    const refused = await platform.as(ann).delete(`${INVESTMENTS}/${data.id}`);
    expect(refused.body.error).toMatchObject({
      code: 'INVESTMENT_LOCKED',
      details: { lockedUntil: '2026-03-09T10:00:00.000Z' }, // seven days after the first investment
    });
  });

  it('can be moved with a value below the minimum for new investments', async () => {
    const settings = { YIELD_TOLERANCE_PERCENT: '200' }; // otherwise the reports would wait for an admin's decision
    const { ann, ids } = await annInvests(settings, '10.00');
    await reportLoss();
    steps.advanceDays(3);
    const before = await steps.detail(ann, ids[0]);
    expect(before.currentValue).toBe('9.874624'); // 10 × 0.1^(2/365) = 9.8746235…
    const { status, data } = await steps.move(ann, ids[0]);
    expect([status, data.amount]).toEqual([200, before.currentValue]);
    // The loss belongs to the closed investment.
    expect((await steps.detail(ann, ids[0])).totalEarnings).toBe(before.totalEarnings);
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  /** The custody provider reports −90 % a year for two days of balanced-10; both reports set the rate of their day. */
  async function reportLoss(): Promise<void> {
    for (const day of ['2026-03-03', '2026-03-04']) {
      const report = { eventId: `loss ${day}`, strategyId: 'balanced-10', day, apy: '-90' };
      expect((await platform.app.get(YieldReportsService).record(report)).state).toBe('rate');
    }
  }

  describe('of a suspended strategy', () => {
    it('are shown as paused, keep the last published value, and can be moved to other strategies or closed', async () => {
      const { ann, ids } = await annInvests({}, '1000.00', '500.00');
      const aggressive = await steps.create(ann, '200.00', 'aggressive-20');
      steps.advanceDays(10);
      await steps.detail(ann, ids[0]); // publishes the value of the next day before the suspension
      const { url, stop } = await startApiWithSettings(platform, { SUSPENDED_STRATEGIES: 'balanced-10' });
      try {
        await requirePaused(ann, [...ids, aggressive], url);
        steps.advanceDays(1);
        const { currentValue } = await steps.detail(ann, ids[0], url);
        steps.advanceDays(2);
        expect((await steps.detail(ann, ids[0], url)).currentValue).toBe(currentValue);
        // A suspended strategy accepts no moves in and allows moves out.
        expect((await steps.move(ann, aggressive, 'balanced-10', url)).code).toBe('STRATEGY_NOT_AVAILABLE');
        const { data } = await steps.move(ann, ids[0], 'aggressive-20', url);
        expect(data).toMatchObject({ status: 'active', amount: currentValue });
        expect((await platform.as(ann, url).delete(`${INVESTMENTS}/${ids[1]}`)).status).toBe(200);
        await steps.requireBalanceRules(ann);
        await steps.requireMatchingUnits();
      } finally {
        await stop();
      }
    });

    async function requirePaused(
      ann: TestUser,
      [first, second, aggressive]: string[],
      url: string,
    ): Promise<void> {
      const paused = { status: 'paused', nextYieldDate: null };
      expect(await steps.detail(ann, first as string, url)).toMatchObject({
        ...paused,
        performance: { dailyYield: '0.00', projectedAnnualReturn: '0.00' },
      });
      const { data, summary } = await steps.list(ann, '&status=paused', url);
      expect(data).toMatchObject([
        { id: first, ...paused },
        { id: second, ...paused },
      ]);
      expect(summary).toMatchObject({ totalInvested: '1500.00', activeInvestments: 2 }); // counts paused ones, too
      expect((await steps.list(ann, '&status=active', url)).data).toMatchObject([{ id: aggressive }]);
      const { data: performance } = await platform.as(ann, url).get(`${INVESTMENTS}/performance`);
      expect(performance.breakdown.byStatus).toEqual({ active: 1, paused: 2, closed: 0 });
      expect((await platform.as(ann, url).get('/api/user/balance')).data.invested).toBe('1700.00');
    }
  });
});
