import { DAY_MS } from '../../../src/common/durations.js';
import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import { beforeDeletionNotification } from '../../harness/current-sessions.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { DESTINATION } from '../../fixtures/withdrawals.js';

const PATH = '/api/user/dashboard';

describe('GET /api/user/dashboard', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const dashboard = (user: TestUser, query = '') => platform.as(user).get(`${PATH}?${query}`);
  const invest = (user: TestUser, strategyId: string, amount: string) =>
    platform.app.get(InvestmentsService).create(user.id, { strategyId, amount });
  const withdraw = (user: TestUser, amount: string) =>
    platform.as(user).post('/api/user/withdrawals', { amount, currency: 'USDC', toAddress: DESTINATION });
  const advanceDays = (days: number) => platform.clock.advance(days * DAY_MS);

  const waitForNode = (user: TestUser) =>
    eventually(async () => expect((await dashboard(user)).data.systemStatus.blockchain).toBe('healthy'));

  it('returns every section with empty lists and zero amounts for a new user', async () => {
    const user = await platform.given.user();
    await waitForNode(user); // the next request uses the cached answer of the node
    const { status, data } = await dashboard(user);
    expect(status).toBe(200);
    expect(data).toEqual({
      user: {
        id: user.id,
        email: user.email,
        firstName: 'Test',
        lastName: 'Person',
        walletAddress: null,
        createdAt: '2026-03-02T10:00:00.000Z',
        lastLoginAt: '2026-03-02T10:00:00.000Z',
      },
      balance: {
        ...(await platform.as(user).get('/api/user/balance')).data,
        change24h: { amount: '0.00', percentage: null },
      },
      investments: {
        active: [],
        pending: [],
        summary: {
          totalInvested: '0.00',
          totalCurrentValue: '0.00',
          totalEarnings: '0.00',
          realised: '0.00',
          averageAPY: null,
          targetApy: null,
          totalROI: null,
        },
      },
      recentTransactions: [],
      recentNotifications: [],
      portfolio: {
        totalValue: '0.00',
        profitLoss: '0.00',
        profitLossPercentage: null,
        bestPerformer: null,
        assetAllocation: [{ category: 'available', amount: '0.00', percentage: 0 }],
      },
      quickActions: [
        { action: 'deposit', label: 'Deposit', url: '/deposits', enabled: true },
        { action: 'invest', label: 'Invest', url: '/investments', enabled: false, requiresApproval: false },
        {
          action: 'withdraw',
          label: 'Withdraw',
          url: '/withdrawals',
          enabled: false,
          requiresApproval: true,
        },
      ],
      systemStatus: {
        blockchain: 'healthy',
        database: 'healthy',
        api: 'healthy',
        lastUpdate: '2026-03-02T10:00:00.000Z',
      },
    });
  });

  describe('of a user with investments', () => {
    let ann: TestUser;

    // Ann deposits and invests on day 0 and withdraws on day 2, each at noon. The tests run at noon of day 3.
    // An investment keeps its principal as value on days 0 and 1: day 3 shows the growth of two days. Fees and
    // `daysActive` count three days.
    beforeAll(async () => {
      platform.clock.moveTo('2026-03-02T12:00:00.000Z');
      ann = await platform.given.user().withBalance('2000.00');
      await invest(ann, 'balanced-10', '1000.00');
      await invest(ann, 'aggressive-20', '300.00');
      advanceDays(2);
      await withdraw(ann, '50.00');
      advanceDays(1);
    });

    it('lists open investments, newest first, with a summary', async () => {
      const { data } = await dashboard(ann);
      expect(data.investments).toMatchObject({
        active: [
          {
            strategyId: 'aggressive-20',
            strategyName: 'Aggressive 20%',
            amount: '300.00',
            currentValue: '300.299856', // 300 × 1.2^(2/365)
            apy: 20,
            earnedToDate: '0.299856',
            startDate: '2026-03-02T12:00:00.000Z',
            daysActive: 3,
            performance: { roi: 0.1, dailyEarnings: '0.150041' }, // 300.299856 × (1.2^(1/365) − 1)
          },
          // 1000 × 1.1^(2/365)
          { strategyId: 'balanced-10', currentValue: '1000.522384', earnedToDate: '0.522384' },
        ],
        summary: {
          totalInvested: '1300.00',
          totalCurrentValue: '1300.82224', // 300.299856 + 1000.522384
          totalEarnings: '0.82224',
          averageAPY: 12.31, // (1000 × 10 + 300 × 20) / 1300 = 12.307…
          totalROI: 0.0632, // percent: 0.82224 / 1300 = 0.000632…
        },
      });
    });

    it('shows the portfolio value, the profit and the allocation', async () => {
      const { data } = await dashboard(ann);
      expect(data.portfolio).toEqual({
        totalValue: '1950.82224', // 650.00 available + 1300.82224
        profitLoss: '0.82224',
        profitLossPercentage: 0.04, // percent: 0.82224 / 2000.00 = 0.000411…
        bestPerformer: { strategy: 'aggressive-20', roi: 0.1 },
        // Percentages of 1950.82224; available are 2000.00 − 1300.00 − 50.00.
        assetAllocation: [
          { category: 'available', amount: '650.00', percentage: 33.32 },
          { category: 'medium-risk', amount: '1000.522384', percentage: 51.29 },
          { category: 'high-risk', amount: '300.299856', percentage: 15.39 },
        ],
      });
    });

    it('compares the balance with that of exactly 24 hours ago', async () => {
      // 24 hours ago, including the withdrawal of that instant: 650.00 + 1000 × 1.1^(1/365) + 300 × 1.2^(1/365)
      // = 1950.411049; now 1950.82224
      const { data } = await dashboard(ann);
      expect(data.balance.change24h).toEqual({ amount: '0.411191', percentage: 0.02 });
      platform.clock.moveTo('2026-03-05T11:59:59.999Z');
      const { data: earlier } = await dashboard(ann); // the withdrawal is less than 24 hours ago
      expect(earlier.balance.change24h.amount).toBe('-49.588809'); // 0.411191 − 50.00
      platform.clock.moveTo('2026-03-05T12:00:00.000Z');
    });

    it('has a balance section equal to GET /api/user/balance, apart from change24h', async () => {
      const { data } = await dashboard(ann);
      const { change24h: _change, ...balance } = data.balance;
      expect(balance).toEqual((await platform.as(ann).get('/api/user/balance')).data);
    });

    it.each([
      ['', 5, 3],
      ['recentTransactions=2&recentNotifications=1', 2, 1],
      ['recentTransactions=0&recentNotifications=0', 0, 0],
      ['recentTransactions=50&recentNotifications=50', 50, 50],
    ])(
      'with %j shows at most %i of the newest transactions and %i of the newest notifications',
      async (query, transactions, notifications) => {
        const { data } = await dashboard(ann, query);
        const lists = {
          recentTransactions: (await platform.as(ann).get('/api/user/transactions')).data,
          recentNotifications: (await platform.as(ann).get('/api/user/notifications')).data,
        };
        expect(data.recentTransactions).toEqual(lists.recentTransactions.slice(0, transactions));
        expect(data.recentNotifications).toEqual(lists.recentNotifications.slice(0, notifications));
        expect(lists.recentTransactions).toHaveLength(4); // deposit, two investments, withdrawal
        expect(lists.recentNotifications).toHaveLength(5); // one for each transaction, and one about yesterday's earnings
      },
    );

    it('contains charts only when they are requested', async () => {
      expect((await dashboard(ann)).data.charts).toBeUndefined();
      expect((await dashboard(ann, 'includeCharts=false')).data.charts).toBeUndefined();
      const { data } = await dashboard(ann, 'includeCharts=true&period=7');
      expect(data.charts).toEqual({
        portfolioValue: [
          { date: '2026-02-27', value: '0.00' },
          { date: '2026-02-28', value: '0.00' },
          { date: '2026-03-01', value: '0.00' },
          { date: '2026-03-02', value: '2000.00' },
          { date: '2026-03-03', value: '2000.00' },
          { date: '2026-03-04', value: '1950.411049' }, // 650.00 + 1000.261158 + 300.149891
          { date: '2026-03-05', value: '1950.82224' },
        ],
        earningsHistory: [
          { date: '2026-02-26', earnings: '0.00' },
          { date: '2026-02-27', earnings: '0.00' },
          { date: '2026-02-28', earnings: '0.00' },
          { date: '2026-03-01', earnings: '0.00' },
          { date: '2026-03-02', earnings: '0.00' },
          { date: '2026-03-03', earnings: '0.411049' },
          { date: '2026-03-04', earnings: '0.411191' },
        ],
        investmentDistribution: [
          { strategy: 'balanced-10', amount: '1000.522384', percentage: 76.91 },
          { strategy: 'aggressive-20', amount: '300.299856', percentage: 23.09 },
        ],
      });
    });

    it.each([7, 30, 90])(
      'has charts of %i days, with the dates of GET /api/user/balance/history',
      async (period) => {
        const { data } = await dashboard(ann, `includeCharts=true&period=${period}`);
        const first = data.charts.portfolioValue[0].date;
        const { data: days } = await platform.as(ann).get(`/api/user/balance/history?startDate=${first}`);
        expect(data.charts.portfolioValue.map(({ date }: { date: string }) => date)).toEqual(
          days.map(({ date }: { date: string }) => date),
        );
        expect(data.charts.earningsHistory).toHaveLength(period);
      },
    );
  });

  it('includes realised earnings and fees in the profit', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const { id } = await invest(user, 'balanced-10', '1000.00');
    advanceDays(3);
    await platform.app.get(InvestmentsService).close(user.id, id);
    const { data } = await dashboard(user, 'includeCharts=true&period=7');
    expect(data.portfolio).toEqual({
      totalValue: '1000.481289', // 1000.00 + 0.522384 (growth of two days) − 0.041095 (fee of three days)
      profitLoss: '0.481289', // fee: 1000 × 0.50 % × 3 / 365 = 0.0410958…, rounded down
      profitLossPercentage: 0.05,
      bestPerformer: null,
      assetAllocation: [{ category: 'available', amount: '1000.481289', percentage: 100 }],
    });
    const earned = data.charts.earningsHistory.map(({ earnings }: { earnings: string }) => earnings);
    expect(earned.slice(-2)).toEqual(['0.261158', '0.261226']); // sum 0.522384, as realised
  });

  it('lists at most a hundred investments and sums all of them', async () => {
    const user = await platform.given.user().withBalance('2000.00');
    for (let i = 0; i < 101; i++) await invest(user, 'conservative-5', '10.00');
    const { data } = await dashboard(user);
    expect(data.investments.active).toHaveLength(100);
    expect(data.investments.summary.totalInvested).toBe('1010.00'); // 101 × 10.00
  });

  it.each([
    ['includeCharts', ['yes', '1', '']],
    ['period', ['14', '0', '-7', '7.5', 'week', '', '7&period=30']],
    ['recentTransactions', ['51', '-1', 'many', '1.5']],
    ['recentNotifications', ['51', '']],
  ])('rejects the parameter %s with VALIDATION_ERROR for each of the values %j', async (name, values) => {
    const user = await platform.given.user();
    for (const value of values) {
      const { status, code } = await dashboard(user, `${name}=${value}`);
      expect([value, status, code]).toEqual([value, 400, 'VALIDATION_ERROR']);
    }
  });

  it('shows the wallet that was linked first', async () => {
    const user = await platform.given.user();
    const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
    await platform.dataSource.query(
      `insert into wallet (address, user_id, created_at, seal)
       values ($2, $1, now(), $4), ($3, $1, now() - interval '1 day', $4)`,
      [user.id, second, first, WRONG_SEAL],
    );
    expect((await dashboard(user)).data.user.walletAddress).toBe(first);
  });

  it('answers 404 for a removed user whose session is still cached', async () => {
    const user = await platform.given.user();
    await beforeDeletionNotification(platform, user.id, async (remove) => {
      await dashboard(user); // caches the session
      await remove();
      expect(await dashboard(user)).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
    });
  });

  it('rejects anonymous callers and admins', async () => {
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
    expect((await platform.as({ token: 'x.y.z' }).get(PATH)).code).toBe('TOKEN_INVALID');
    expect((await platform.as(await platform.given.admin()).get(PATH)).code).toBe('FORBIDDEN');
  });
});
