import { DAY_MS, HOUR_MS } from '../../../src/common/durations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { markHours } from '../../../src/lists/total-marks.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { LedgerService } from '../../../src/modules/core/ledger/ledger.service.js';
import { UptimeService } from '../../../src/modules/backoffice/reports/dashboard-stats.service.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { Hold } from '../../harness/hold.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const STATS = '/api/admin/dashboard/stats';
const REVENUE = '/api/admin/dashboard/revenue';
const REVENUE_OF_DAYS = '/api/admin/reports/revenue';
const USERS = '/api/admin/reports/users';
const INVESTMENTS = '/api/admin/reports/investments';

/** The uptime depends on real time, unlike all other figures. */
function removeUptime({ app }: TestPlatform): void {
  app.get(UptimeService).setSource(async () => ({ percent: null, measuredMinutes: 0 }));
}

describe('Admin dashboard and reports', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  beforeEach(async () => {
    platform = await startPlatform(); // Monday, 2 March 2026, 10:00
    removeUptime(platform);
    admin = await platform.given.admin();
  });
  afterEach(() => platform?.stop());

  const get = (path: string) => platform.as(admin).get(path);
  const invest = async (userId: string, amount: string, strategyId = 'balanced-10') =>
    platform.app.get(InvestmentsService).create(userId, { strategyId, amount });

  it('report the growth of users in percent of those before the period', async () => {
    for (let user = 0; user < 2; user++) await platform.given.user();
    platform.clock.advance(10 * DAY_MS);
    await platform.given.user();
    const usersIn = async (period: string) => (await get(`${STATS}?period=${period}`)).data.users;
    expect(await usersIn('7d')).toMatchObject({ total: 3, new: 1, growth: 50 }); // 100 × (3 − 2) / 2
    expect(await usersIn('30d')).toMatchObject({ total: 3, new: 3, growth: null }); // no users before the period
  });

  it('report investments, revenue and closings', async () => {
    const [ann, bob] = [
      await platform.given.user().withBalance('5000.00'),
      await platform.given.user().withBalance('1000.00'),
    ];
    const { id } = await invest(ann.id, '3000.00');
    await invest(bob.id, '1000.00', 'conservative-5');
    platform.clock.advance(10 * DAY_MS); // the 12th
    const { closing } = await platform.app.get(InvestmentsService).close(ann.id, id);
    // 3000 × 0.50 % × 10 / 365 = 0.410958
    expect(closing.fees.management.toWire()).toBe('0.410958');

    const { data } = await get(`${STATS}?period=7d`);
    // Both users signed up before the period.
    expect(data.users).toEqual({ total: 2, active: 2, new: 0, growth: 0 });
    expect(data.investments).toMatchObject({ total: 2, active: 1, pending: 0 });
    expect(data.revenue).toEqual({
      managementFees: '0.410958',
      platformRevenue: '0.410958',
      // 0.410958 × 365 / (6 + 11/24) days, from the 6th at 0:00 to the end of the current hour, the 12th at 11:00
      projectedAnnual: '23.225755',
    });
    // 1000 at 5 % for nine midnights from the second on: 1000 × 1.05^(9/365) = 1001.203769
    expect(data.investments.totalValue).toBe('1001.203769');
    expect(data.protocols).toMatchObject({ curve: { allocation: 60 }, convex: { allocation: 40 } });
    expect(data.performance).toMatchObject({ averageAPY: 5, avgTransactionTime: null });
    expect((await get(`${STATS}?period=30d`)).data.performance.avgTransactionTime).toBe(0); // deposits take no time

    const revenue = (await get(`${REVENUE}?period=7d&breakdown=true`)).data;
    expect(revenue.breakdown).toHaveLength(7);
    expect(revenue.breakdown[6]).toEqual({
      date: '2026-03-12',
      revenue: '0.410958',
      managementFees: '0.410958',
      userCount: 2,
    });
    expect(revenue.byStrategy[1]).toEqual({
      strategyId: 'balanced-10',
      revenue: '0.410958',
      percentage: 100,
    });

    const ofDays = await get(`${REVENUE_OF_DAYS}?startDate=2026-03-06&endDate=2026-03-12&breakdown=true`);
    expect(ofDays.data).toEqual({
      period: { startDate: '2026-03-06', endDate: '2026-03-12' },
      ...revenue,
      summary: { ...revenue.summary, asOf: expect.any(String) },
    });
    const before = (await get(`${REVENUE_OF_DAYS}?startDate=2026-03-01&endDate=2026-03-11`)).data;
    expect(before).toMatchObject({ summary: { totalRevenue: '0.00', revenueGrowth: null }, breakdown: [] });

    const report = (await get(INVESTMENTS)).data;
    expect(report.summary).toMatchObject({
      totalInvestments: 2,
      averageInvestment: '2000.00', // (3000 + 1000) / 2
      topStrategy: 'conservative-5',
    });
    // 1001.20 now, 3000 × 1.1^(2/365) + 1000 × 1.05^(2/365) = 4001.83 a week ago: −74.98 %
    expect(report.trends).toMatchObject({ weekOverWeek: expect.closeTo(-74.98, 1), monthOverMonth: null });
  });

  it('report active users, retention and churn by day', async () => {
    const [ann, bob] = [
      await platform.given.user().withBalance('5000.00'),
      await platform.given.user().withBalance('1000.00'),
    ];
    const { id } = await invest(ann.id, '3000.00');
    await invest(bob.id, '1000.00');
    platform.clock.advance(DAY_MS);
    await platform.app.get(InvestmentsService).close(ann.id, id);
    platform.clock.advance(DAY_MS);
    const { data } = await get(`${USERS}?startDate=2026-03-01`);
    expect(data.period).toEqual({ startDate: '2026-03-01', endDate: '2026-03-04', interval: 'daily' });
    expect(data.dataPoints).toEqual([
      { date: '2026-03-01', totalUsers: 0, newUsers: 0, activeUsers: 0, churnRate: null },
      { date: '2026-03-02', totalUsers: 2, newUsers: 2, activeUsers: 2, churnRate: null },
      { date: '2026-03-03', totalUsers: 2, newUsers: 0, activeUsers: 2, churnRate: 0 }, // ann was active until 10:00
      { date: '2026-03-04', totalUsers: 2, newUsers: 0, activeUsers: 1, churnRate: 50 },
    ]);
    expect(data.summary).toEqual({
      totalUsers: 2,
      newUsers: 2,
      activeUsers: 2,
      retentionRate: null,
      averageInvestmentPerUser: '1000.261158', // bob's 1000 × 1.1^(1/365)
      asOf: '2026-03-04T10:00:00.000Z',
    });
    const today = (await get(`${USERS}?startDate=2026-03-04`)).data;
    // The preceding period is the eleven hours before midnight. Only bob was active in it, because ann had closed at 10:00.
    expect(today.summary).toMatchObject({ activeUsers: 1, retentionRate: 100 });
    expect((await get(USERS)).data.period.startDate).toBe('2026-02-02'); // thirty days before 4 March
  });

  it('count a user whose registration is committed late, and count everything once while sums are recomputed', async () => {
    const lockedUser = await platform.given.user().withBalance('100.00');
    const investors = await Promise.all(
      Array.from({ length: 6 }, () => platform.given.user().withBalance('1000.00')),
    );
    const recompute = () => platform.runJob('totals');
    const unitOfWork = platform.app.get(UnitOfWork);
    const hold = new Hold();
    // Registers a user, and locks the balance of another one as transactions that move money do; stays open until `hold.release`.
    const lateTransaction = unitOfWork.runInTransaction(async (tx) => {
      await platform.app.get(LedgerService).lockAvailable(tx, lockedUser.id);
      await tx.query(
        `insert into platform_user (id, email, created_at, updated_at) values (gen_random_uuid(), 'late@example.org', $1, $1)`,
        [platform.clock.now()],
      );
      markHours(tx, 'report', platform.clock.now());
      await hold.wait();
    });
    const investAndClose = async (user: TestUser) => {
      for (let count = 1; count <= 5; count++) {
        const { id } = await invest(user.id, '10.00');
        if (count % 2 === 0) await platform.app.get(InvestmentsService).close(user.id, id);
      }
    };
    const recomputeRepeatedly = async () => {
      for (let count = 0; count < 8; count++) await recompute();
    };
    await Promise.all([...investors.map(investAndClose), recomputeRepeatedly()]);
    const stats = async () => (await get(STATS)).data;
    expect((await stats()).users.total).toBe(7); // `lockedUser` and six investors
    hold.release();
    await lateTransaction;
    // What follows from events waits for the open transaction. Each investor has made five investments and closed two of them.
    expect(await stats()).toMatchObject({
      users: { total: 8, active: 6 },
      investments: { total: 30, active: 18 },
    });
    const before = await stats();
    await Promise.all([recompute(), recompute(), recompute()]);
    expect(await stats()).toEqual(before);
    await platform.dataSource.query('select mark_all_totals()');
    expect(await stats()).toEqual(before);
    expect(await platform.dataSource.query('select from total_mark')).toEqual([]);
  });
});

describe('Admin dashboard and reports without any activity', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  beforeAll(async () => {
    platform = await startPlatform(); // Monday, 2 March 2026, 10:00
    removeUptime(platform);
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  const get = (path: string) => platform.as(admin).get(path);

  it('return zeros, and null for undefined ratios', async () => {
    expect((await get(STATS)).data).toEqual({
      users: { total: 0, active: 0, new: 0, growth: null },
      investments: { total: 0, active: 0, pending: 0, totalValue: '0.00' },
      revenue: { managementFees: '0.00', platformRevenue: '0.00', projectedAnnual: '0.00' },
      protocols: Object.fromEntries(
        ['curve', 'convex', 'pendle'].map((name) => [name, { tvl: '0.00', allocation: 0 }]),
      ),
      performance: {
        averageAPY: null,
        targetApy: null,
        avgTransactionTime: null,
        platformUptime: null,
        measuredMinutes: 0,
      },
      asOf: '2026-03-02T10:00:00.000Z',
    });
    const revenue = (await get(REVENUE)).data;
    expect(revenue.summary).toMatchObject({ totalRevenue: '0.00', revenueGrowth: null });
    expect(revenue.breakdown).toEqual([]);
    const { summary, trends } = (await get(INVESTMENTS)).data;
    expect(summary).toMatchObject({ totalInvestments: 0, averageInvestment: '0.00', topStrategy: null });
    expect(trends).toEqual({ weekOverWeek: null, monthOverMonth: null });
    const users = (await get(USERS)).data;
    expect(users.summary).toMatchObject({ retentionRate: null, averageInvestmentPerUser: '0.00' });
  });

  it('include the uptime that was measured in the real time of the period', async () => {
    const measuredRanges: number[] = [];
    platform.app.get(UptimeService).setSource((from, to) => {
      measuredRanges.push(from.getTime(), to.getTime());
      return Promise.resolve({ percent: 99.95, measuredMinutes: 1440 });
    });
    const before = Date.now();
    const { performance } = (await get(`${STATS}?period=24h`)).data;
    expect(performance).toMatchObject({ platformUptime: 99.95, measuredMinutes: 1440 });
    const [from, to] = measuredRanges as [number, number];
    expect(to).toBeGreaterThanOrEqual(before);
    expect(to).toBeLessThanOrEqual(Date.now());
    // In domain time from 11:00 of the day before, 24 hours before the end of the current hour, to now, 10:00.
    expect(to - from).toBe(23 * HOUR_MS);
  });

  it.each([
    [`${STATS}?period=2d`, 'VALIDATION_ERROR'],
    [`${REVENUE}?breakdown=maybe`, 'VALIDATION_ERROR'],
    [`${USERS}?interval=yearly`, 'VALIDATION_ERROR'],
    [`${USERS}?startDate=yesterday`, 'VALIDATION_ERROR'],
    [`${USERS}?startDate=2026-03-02&endDate=2026-03-01`, 'INVALID_DATE_RANGE'],
    [`${USERS}?endDate=2026-03-04`, 'INVALID_DATE_RANGE'],
    [`${USERS}?startDate=1969-12-31`, 'VALIDATION_ERROR'],
    [`${USERS}?startDate=2023-02-01`, 'INVALID_DATE_RANGE'], // 1,126 days, and at most 1,100 intervals are reported
    [`${USERS}?startDate=2026-01-01&interval=hourly`, 'INVALID_DATE_RANGE'], // 60 days of 24 hours
    [`${REVENUE_OF_DAYS}?startDate=2026-03-02&endDate=2026-03-01`, 'INVALID_DATE_RANGE'],
    [`${REVENUE_OF_DAYS}?endDate=x`, 'VALIDATION_ERROR'],
    [`${INVESTMENTS}?startDate=2026-03-02&endDate=2026-03-01`, 'INVALID_DATE_RANGE'],
    [`${INVESTMENTS}?endDate=2026-03-04`, 'INVALID_DATE_RANGE'],
    [`${INVESTMENTS}?startDate=x`, 'VALIDATION_ERROR'],
  ])('reject %s with %s', async (path, code) => {
    const reply = await get(path);
    expect([reply.status, reply.code]).toEqual([400, code]);
  });

  it('require their permission', async () => {
    const [readonly, operator] = [
      await platform.given.admin('readonly'),
      await platform.given.admin('operator'),
    ];
    for (const path of [STATS, REVENUE, REVENUE_OF_DAYS, USERS, INVESTMENTS]) {
      expect((await platform.as(readonly).get(path)).status).toBe(200);
      expect((await platform.as(operator).get(path)).code).toBe('PERMISSION_DENIED');
    }
  });
});
