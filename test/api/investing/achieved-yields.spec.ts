import { newId } from '../../../src/common/ids.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { ANY_YIELD } from '../../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('Achieved yields and values locked', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;
  let activeId: string;
  let pendingId: string;

  /** Ann has 100.00 in balanced-10, and 900.00 that wait for approval in aggressive-20. */
  beforeEach(async () => {
    const settings = { INVESTMENT_APPROVAL_THRESHOLD: '800.00', ...ANY_YIELD };
    platform = await startPlatform({ settings, at: '2026-03-02T10:00:00.000Z' });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    ann = await platform.given.user().withBalance('2000.00');
    pendingId = await steps.create(ann, '900.00', 'aggressive-20');
    activeId = await steps.create(ann, '100.00');
  });
  afterEach(() => platform?.stop());

  const get = async (path: string) => (await platform.as(ann).get(path)).data;
  const admin = async (path: string) => (await platform.as(steps.admin).get(path)).body;

  /** The yields in all answers that state one, and the targets beside them. */
  async function statedYields(): Promise<{ yields: unknown[]; targets: unknown[] }> {
    const { portfolio } = await get(`${INVESTMENTS}/performance`);
    const { summary } = (await get('/api/user/dashboard')).investments;
    const { performanceStats } = (await admin('/api/admin/investments/summary')).data;
    const { performance } = (await admin('/api/admin/dashboard/stats')).data;
    const { byStrategy } = (await admin('/api/admin/reports/investments')).data;
    const balanced = byStrategy[1]; // balanced-10
    const latest = (await get('/api/user/strategies/balanced-10/performance')).series.at(-1);
    return {
      yields: [
        portfolio.weightedAPY,
        summary.averageAPY,
        performanceStats.averageYieldRate,
        performance.averageAPY,
        balanced.averageAPY,
        latest.apy === null ? null : Number(latest.apy.toFixed(2)),
      ],
      targets: [portfolio, summary, performanceStats, performance, balanced, latest].map(
        ({ targetApy }) => targetApy,
      ),
    };
  }

  /** `statedYields` if all six answers state this yield; the target of balanced-10 is 10. */
  const stated = (apy: number | null) => ({ yields: Array(6).fill(apy), targets: Array(6).fill(10) });

  it('are null before the first full day of the strategy, and then equal in all answers', async () => {
    expect(await statedYields()).toEqual(stated(null));
    steps.advanceDays(1);
    expect(await statedYields()).toEqual(stated(10));
  });

  it('change in all answers from the day of a correction on, unlike the targets', async () => {
    steps.advanceDays(10);
    const report = { eventId: newId(), strategyId: 'balanced-10', day: '2026-03-10', apy: '-60' };
    // The values up to 13 March are published, so the report corrects the next one, that of 14 March (status `fold`).
    expect((await platform.app.get(YieldReportsService).record(report)).state).toBe('fold');
    expect(await statedYields()).toEqual(stated(10));
    steps.advanceDays(1);
    expect(await statedYields()).toEqual(stated(10));
    steps.advanceDays(1);
    // 11 of the 12 days at 10 %, one at −60 %: 1.1^(11/12) × 0.4^(1/12) = 1.0111
    expect(await statedYields()).toEqual(stated(1.11));
    const { data } = await admin('/api/admin/reports/investments?endDate=2026-03-13');
    expect(data.byStrategy[1]).toMatchObject({ averageAPY: 10, targetApy: 10 });
    expect((await get('/api/user/dashboard')).investments.active).toMatchObject([{ apy: 10 }]);
    expect(await steps.detail(ann, activeId)).toMatchObject({ apy: 10 });
    expect((await get('/api/user/balance')).investments).toMatchObject([{ apy: 10 }, { apy: 20 }]);
  });

  it('count an investment that waits for approval as pending and not in its strategy, in users’ answers', async () => {
    const { investments, portfolio, balance, charts } = await get('/api/user/dashboard?includeCharts=true');
    expect(investments.active).toMatchObject([{ id: activeId, amount: '100.00' }]);
    expect(investments.pending).toMatchObject([{ id: pendingId, amount: '900.00' }]);
    expect(balance).toMatchObject({ invested: '1000.00', reserved: '0.00' });
    expect(portfolio.assetAllocation).toEqual([
      { category: 'available', amount: '1000.00', percentage: 50 },
      { category: 'medium-risk', amount: '100.00', percentage: 5 },
      { category: 'pending', amount: '900.00', percentage: 45 },
    ]);
    expect(portfolio.bestPerformer).toEqual({ strategy: 'balanced-10', roi: 0 });
    expect(charts.investmentDistribution).toEqual([
      { strategy: 'balanced-10', amount: '100.00', percentage: 100 },
    ]);
  });

  it('count an investment in the value locked of its strategy only after its approval, in admins’ answers', async () => {
    const locked = async () => {
      const { investments, protocols } = (await admin('/api/admin/dashboard/stats')).data;
      const { summary, byStrategy } = (await admin('/api/admin/reports/investments')).data;
      const users = (await admin('/api/admin/users')).summary;
      return {
        values: [investments.totalValue, summary.totalValue], // with investments that wait for approval
        tvl: byStrategy.map(({ tvl }: { tvl: string }) => tvl),
        platform: users.totalPlatformTVL,
        pendle: protocols.pendle,
      };
    };
    expect(await locked()).toEqual({
      values: ['1000.00', '1000.00'],
      tvl: ['0.00', '100.00', '0.00'],
      platform: '100.00',
      pendle: { tvl: '40.00', allocation: 40 }, // 40 % of balanced-10
    });
    await steps.approve(pendingId);
    expect(await locked()).toEqual({
      values: ['1000.00', '1000.00'],
      tvl: ['0.00', '100.00', '900.00'],
      platform: '1000.00',
      pendle: { tvl: '670.00', allocation: 67 }, // and 70 % of aggressive-20
    });
    platform.clock.moveTo('2026-03-03T00:00:00.000Z');
    const { data } = await admin('/api/admin/reports/investments?endDate=2026-03-02'); // a past range
    expect(data.byStrategy.map(({ tvl }: { tvl: string }) => tvl)).toEqual(['0.00', '100.00', '900.00']);
  });
});
