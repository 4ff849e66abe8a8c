import { Money } from '../../../src/common/money.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const NONE_ENDED = { count: 0, principal: '0.00', earnings: '0.00', fees: '0.00' };

describe('Figures of an investment that was moved', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;
  let firstId: string;
  let presentId: string;

  /** Ann's investment of 1000.00 in balanced-10, moved to aggressive-20 after 31 days: 1000 × 1.1^(30/365) = 1007.864477. */
  beforeEach(async () => {
    platform = await startPlatform({ at: '2026-03-02T10:00:00.000Z' });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin());
    ann = await platform.given.user().withBalance('1000.00');
    firstId = await steps.create(ann, '1000.00');
    steps.advanceDays(31);
    presentId = (await steps.move(ann, firstId)).data.id;
  });
  afterEach(() => platform?.stop());

  const admin = async (path: string) => (await platform.as(steps.admin).get(path)).body;

  it('count the value once in the user’s list of present investments', async () => {
    const { data, summary, pagination } = await steps.list(ann);
    const earned = { totalEarnings: '7.864477', roi: 0.7864 }; // from the first principal of 1000.00; roi in percent
    expect(data).toMatchObject([
      { id: presentId, amount: '1007.864477', currentValue: '1007.864477', ...earned },
    ]);
    expect(pagination.total).toBe(1);
    expect(summary).toEqual({
      totalInvested: '1007.864477',
      totalCurrentValue: '1007.864477',
      totalEarnings: '7.864477',
      averageROI: 0.7864,
      activeInvestments: 1,
      closed: NONE_ENDED,
    });
    for (const query of ['&strategyId=balanced-10', '&status=closed'])
      expect(await steps.list(ann, query)).toMatchObject({
        data: [],
        summary: { totalInvested: '0.00', totalCurrentValue: '0.00', closed: NONE_ENDED },
        pagination: { total: 0 },
      });
  });

  it('are equal in list, performance, dashboard, balance and the admins’ view', async () => {
    const { summary } = await steps.list(ann);
    const { totalInvested, totalCurrentValue, totalEarnings, averageROI } = summary;
    const performance = (await platform.as(ann).get(`${INVESTMENTS}/performance`)).data;
    expect(performance.portfolio).toMatchObject({
      totalInvested,
      totalCurrentValue,
      totalEarnings,
      averageROI,
      totalReturn: '7.864477',
    });
    expect(performance.breakdown.byStatus).toEqual({ active: 1, paused: 0, closed: 0 });
    const { investments, balance } = (await platform.as(ann).get('/api/user/dashboard')).data;
    expect(investments.summary).toMatchObject({ totalInvested, totalCurrentValue, totalEarnings });
    expect(investments.active).toMatchObject([{ id: presentId, earnedToDate: totalEarnings }]);
    expect(balance).toMatchObject({ invested: totalInvested, total: totalCurrentValue });
    const list = await admin(`/api/admin/investments?userId=${ann.id}`);
    expect(list.data).toMatchObject([{ id: presentId, totalEarnings, currentValue: totalCurrentValue }]);
    expect(list.summary).toMatchObject({ totalInvestments: 1, totalValue: totalCurrentValue, totalEarnings });
  });

  it('leave the moved investment out of the lists and sums of admins', async () => {
    for (const query of [
      '',
      '?status=completed',
      '?sortBy=currentValue',
      '?createdAfter=2026-03-02T00:00:00Z',
    ]) {
      const { data, summary, pagination } = await admin(`/api/admin/investments${query}`);
      const ids = data.map(({ id }: { id: string }) => id);
      expect([query, ids, pagination.total, summary.totalEarnings]).toEqual(
        query === '?status=completed' ? [query, [], 0, '0.00'] : [query, [presentId], 1, '7.864477'],
      );
    }
    const { data } = await admin('/api/admin/investments/summary');
    expect(data).toMatchObject({
      summary: { totalInvestments: 1, totalAmount: '1007.864477', activeStrategies: 1 },
      byStatus: { active: 1, pending: 0, completed: 0, cancelled: 0 },
      performanceStats: { totalYield: '7.864477' },
    });
    expect((await admin(`/api/admin/users/${ann.id}`)).data.stats).toMatchObject({
      activeInvestments: 1,
      closedInvestments: 0,
    });
  });

  it('count a move neither as a new nor as another investment in reports', async () => {
    const range = '?startDate=2026-04-01&endDate=2026-04-02'; // the move is on 2 April
    const { data } = await admin(`/api/admin/reports/investments${range}`);
    expect(data.summary).toMatchObject({
      totalInvestments: 1,
      newInvestments: 0,
      totalValue: '1007.864477',
      averageInvestment: '1007.864477', // the present principal
      topStrategy: 'aggressive-20',
    });
    expect(data.byStrategy.map(({ strategyId, count }: any) => `${strategyId} ${count}`)).toEqual([
      'conservative-5 0',
      'balanced-10 0',
      'aggressive-20 1',
    ]);
    const before = await admin('/api/admin/reports/investments?startDate=2026-03-02&endDate=2026-03-31');
    expect(before.data.summary).toMatchObject({ totalInvestments: 1, newInvestments: 1 });
    const { data: stats } = await admin('/api/admin/dashboard/stats');
    expect(stats.investments).toMatchObject({ total: 1, active: 1 });
  });

  it('show the moved investment by its id as closed, and each of the two investments with the id of the other', async () => {
    expect(await steps.detail(ann, firstId)).toMatchObject({
      status: 'closed',
      movedFrom: null,
      movedTo: presentId,
    });
    expect(await steps.detail(ann, presentId)).toMatchObject({ movedFrom: firstId, movedTo: null });
  });

  it('keep growth through partial closings, before the move and after it', async () => {
    const bob = await platform.given.user().withBalance('2000.00');
    const { data: first } = await steps.invest(bob, '2000.00');
    steps.advanceDays(31);
    await steps.close(first.id, '1007.864477'); // half of 2000 × 1.1^(30/365) = 2015.728954…
    const { data: next } = await steps.move(bob, first.id);
    steps.advanceDays(31);
    await steps.close(next.id, '500.00');
    const { summary } = await steps.list(bob);
    const { data: balance } = await platform.as(bob).get('/api/user/balance');
    const sum = (...texts: string[]) => Money.sum(texts.map((text) => Money.of(text))).toWire();
    // All growth is in the ledger (moves and closings) or accrued by the open investment.
    const growth = sum(balance.breakdown.earnings, balance.accruedEarnings);
    expect(sum(summary.totalEarnings, summary.closed.earnings)).toBe(growth);
    // The present value without its growth, and the principal of the closed parts, are what bob has invested.
    expect(sum(summary.totalCurrentValue, `-${summary.totalEarnings}`, summary.closed.principal)).toBe(
      '2000.00',
    );
    expect(summary.closed).toMatchObject({ count: 0, fees: balance.breakdown.fees });
    const { summary: admins } = await admin(`/api/admin/investments?userId=${bob.id}`);
    expect(admins.totalEarnings).toBe(growth);
    // The present investments of ann and bob.
    expect((await admin(`/api/admin/investments?strategyId=aggressive-20&minAmount=0.01`)).data).toHaveLength(
      2,
    );
    const present = await platform.as(bob).delete(`${INVESTMENTS}/${next.id}`);
    expect(present.status).toBe(200);
    const { summary: ended } = await steps.list(bob);
    expect(ended.closed).toMatchObject({ count: 1, principal: '2000.00', earnings: growth });
    expect(ended).toMatchObject({ totalInvested: '0.00', totalCurrentValue: '0.00', totalEarnings: '0.00' });
  });
});
