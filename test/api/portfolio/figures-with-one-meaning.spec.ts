import { newId } from '../../../src/common/ids.js';
import { Money } from '../../../src/common/money.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { ANY_YIELD } from '../../fixtures/random-user-history.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const sum = (...texts: string[]) => Money.sum(texts.map((text) => Money.of(text))).toWire();
const minus = (text: string) => Money.of(text).negated().toWire();

/** Values of one name, by the answer that states it. */
type Stated = Record<string, unknown>;

describe('Figures whose names stand in several answers', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;

  /**
   * Ann has one investment that was partly closed, moved and partly closed again, one of another strategy with a loss, three of
   * about 10.00, one that is closed, one that is cancelled, and one that waits for approval. Bob has one; Carl has none.
   */
  beforeAll(async () => {
    const settings = {
      INVESTMENT_APPROVAL_THRESHOLD: '800.00',
      PERFORMANCE_FEE_PERCENT: '10',
      ...ANY_YIELD,
    };
    platform = await startPlatform({ settings, at: '2026-03-02T10:00:00.000Z' });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    ann = await platform.given.user().withBalance('5000.00');
    const bob = await platform.given.user().withBalance('1000.00');
    await platform.given.user(); // Carl
    await steps.create(bob, '333.33', 'conservative-5');
    const moved = await steps.create(ann, '700.01');
    const closed = await steps.create(ann, '123.45', 'conservative-5');
    const cancelled = await steps.create(ann, '77.77', 'aggressive-20');
    await steps.create(ann, '234.56', 'aggressive-20');
    for (const cents of ['01', '03', '07']) await steps.create(ann, `10.${cents}`); // each is rounded by itself
    steps.advanceDays(17);
    await steps.close(moved, '100.003');
    const { data: next } = await steps.move(ann, moved, 'conservative-5');
    const report = { eventId: newId(), strategyId: 'aggressive-20', day: '2026-03-18', apy: '-60' };
    await platform.app.get(YieldReportsService).record(report);
    steps.advanceDays(13);
    await steps.close(next.id, '50.00');
    await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await platform.as(ann).post(`${INVESTMENTS}/${cancelled}/cancel`);
    await steps.create(ann, '900.00');
    steps.advanceDays(3);
  });
  afterAll(() => platform?.stop());

  const user = async (path: string) => (await platform.as(ann).get(path)).body;
  const admin = async (path: string) => (await platform.as(steps.admin).get(`/api/admin${path}`)).body;
  const requireEqual = (name: string, stated: Stated) => {
    const [first] = Object.values(stated);
    expect(first).toBeDefined();
    const expected = Object.fromEntries(Object.keys(stated).map((place) => [place, first]));
    expect({ name, ...stated }).toEqual({ name, ...expected });
  };

  it('are equal in the answers about one user', async () => {
    const list = await user(INVESTMENTS);
    const { portfolio, investments } = (await user(`${INVESTMENTS}/performance`)).data;
    const dashboard = (await user('/api/user/dashboard')).data;
    const { data: balance } = await user('/api/user/balance');
    const { summary } = dashboard.investments;
    const admins = (await admin(`/investments?userId=${ann.id}`)).summary;
    const listed = (await admin(`/users?userId=${ann.id}`)).data[0];
    const { data: detail } = await admin(`/users/${ann.id}`);
    requireEqual('totalEarnings', {
      balance: sum(balance.breakdown.earnings, balance.accruedEarnings),
      list: sum(list.summary.totalEarnings, list.summary.closed.earnings),
      performance: portfolio.totalEarnings,
      dashboard: summary.totalEarnings,
      adminsList: admins.totalEarnings,
      adminsUsers: listed.stats.totalEarnings,
      adminsUser: detail.stats.totalEarnings,
    });
    requireEqual('realised', {
      list: list.summary.closed.earnings,
      performance: portfolio.realised,
      dashboard: summary.realised,
    });
    requireEqual('fees', {
      balance: balance.breakdown.fees,
      list: list.summary.closed.fees,
      performance: portfolio.fees,
      totalReturn: sum(portfolio.totalEarnings, minus(portfolio.totalReturn)),
    });
    requireEqual('totalInvested', {
      balance: balance.invested,
      list: list.summary.totalInvested,
      performance: portfolio.totalInvested,
      dashboard: summary.totalInvested,
    });
    requireEqual('value of open investments', {
      balance: sum(...balance.investments.map(({ currentValue }: any) => currentValue)),
      list: list.summary.totalCurrentValue,
      performance: portfolio.totalCurrentValue,
      dashboard: summary.totalCurrentValue,
      adminsList: admins.totalValue,
    });
    requireEqual('averageROI', {
      list: list.summary.averageROI,
      performance: portfolio.averageROI,
      dashboard: summary.totalROI,
    });
    requireEqual('achieved yield', { performance: portfolio.weightedAPY, dashboard: summary.averageAPY });
    requireEqual('activeInvestments', {
      list: list.summary.activeInvestments,
      adminsList: admins.activeInvestments,
      adminsUsers: listed.stats.activeInvestments,
      adminsUser: detail.stats.activeInvestments,
    });
    requireEqual('totalInvestments', {
      adminsList: admins.totalInvestments,
      adminsUsers: listed.totalInvestments,
    });
    requireEqual('lifetime totalInvested', {
      adminsUsers: listed.stats.totalInvested,
      adminsUser: detail.stats.totalInvested,
      totalAmount: listed.totalAmount,
    });
    requireEqual('riskProfile.level', {
      adminsUsers: listed.riskProfile.level,
      adminsUser: detail.riskProfile.level,
      riskAssessment: (await steps.listPending()).data[0].riskAssessment.userRiskLevel,
    });
    requireEqual('complianceChecks.riskLevel', {
      adminsUser: detail.compliance.riskLevel,
      pending: (await steps.listPending()).data[0].complianceChecks.riskLevel,
    });
    const { bestPerformer } = dashboard.portfolio;
    requireEqual('roi of a strategy', {
      dashboard: bestPerformer.roi,
      performance: investments.find(({ strategyId }: any) => strategyId === bestPerformer.strategy).roi,
    });
  });

  it('add up inside the dashboard and the performance, also after partial closings', async () => {
    const { investments, portfolio } = (await user('/api/user/dashboard')).data;
    const { active, pending, summary } = investments;
    const sumOf = (rows: any[], field: string) => sum(...rows.map((row) => row[field]));
    expect(pending).toHaveLength(1);
    expect(summary).toMatchObject({
      totalInvested: sum(sumOf(active, 'amount'), sumOf(pending, 'amount')),
      totalCurrentValue: sum(sumOf(active, 'currentValue'), sumOf(pending, 'amount')),
      totalEarnings: sum(sumOf(active, 'earnedToDate'), summary.realised),
    });
    expect(sumOf(portfolio.assetAllocation, 'amount')).toBe(portfolio.totalValue);
    const performance = (await user(`${INVESTMENTS}/performance`)).data;
    expect(performance.portfolio.totalEarnings).toBe(
      sum(sumOf(performance.investments, 'earnings'), performance.portfolio.realised),
    );
  });

  it('state closed parts alike to users and admins, and count their earnings in totalEarnings', async () => {
    const { data } = await user(`${INVESTMENTS}?limit=100`);
    const [partlyClosed] = data.filter(({ closedParts }: any) => closedParts.count > 0);
    const { closedParts } = partlyClosed;
    const detail = await steps.detail(ann, partlyClosed.id);
    const { active } = (await user('/api/user/dashboard')).data.investments;
    requireEqual('closedParts', {
      list: closedParts,
      detail: detail.closedParts,
      dashboard: active.find(({ id }: any) => id === partlyClosed.id).closedParts,
      admins: (await steps.adminDetail(partlyClosed.id)).closedParts,
    });
    expect(closedParts.count).toBe(1); // the other part was closed before the move
    expect(partlyClosed.totalEarnings).toBe(
      sum(partlyClosed.currentValue, minus(partlyClosed.firstPrincipal), closedParts.earnings),
    );
  });

  it('are equal in the answers about all users', async () => {
    const list = (await admin('/investments')).summary;
    const { summary: totals, byStatus, performanceStats } = (await admin('/investments/summary')).data;
    const users = (await admin('/users')).summary;
    const { data: stats } = await admin('/dashboard/stats');
    const report = (await admin('/reports/investments')).data;
    const usersReport = (await admin('/reports/users')).data.summary;
    requireEqual('totalInvestments', {
      list: list.totalInvestments,
      summary: totals.totalInvestments,
      stats: stats.investments.total,
      report: report.summary.totalInvestments,
    });
    requireEqual('totalValue', {
      list: list.totalValue,
      stats: stats.investments.totalValue,
      report: report.summary.totalValue,
    });
    requireEqual('active', {
      list: list.activeInvestments,
      summary: byStatus.active,
      stats: stats.investments.active,
    });
    requireEqual('pending', {
      list: list.pendingInvestments,
      summary: byStatus.pending,
      stats: stats.investments.pending,
    });
    requireEqual('totalEarnings', { list: list.totalEarnings, summary: performanceStats.totalYield });
    requireEqual('averageInvestment', {
      list: list.averageInvestment,
      report: report.summary.averageInvestment,
    });
    requireEqual('topStrategy', { list: list.topStrategy, report: report.summary.topStrategy });
    requireEqual('averageInvestmentPerUser', {
      users: users.averageInvestmentPerUser,
      report: usersReport.averageInvestmentPerUser,
      computed: Money.of(list.totalValue).dividedBy(Money.of('2')).roundHalfEven(6).toWire(), // Carl has none
    });
    requireEqual('achieved yield', {
      summary: performanceStats.averageYieldRate,
      stats: stats.performance.averageAPY,
    });
    requireEqual('target', { summary: performanceStats.targetApy, stats: stats.performance.targetApy });
    requireEqual('totalUsers', {
      users: users.totalUsers,
      stats: stats.users.total,
      report: usersReport.totalUsers,
    });
    // The list counts users of status active; the report and the dashboard count users with an open investment in the period.
    expect([users.activeUsers, usersReport.activeUsers, stats.users.active]).toEqual([3, 2, 2]);
    requireEqual('revenue', {
      stats: stats.revenue.platformRevenue,
      revenue: (await admin('/dashboard/revenue')).data.summary.totalRevenue,
    });
  });
});
