import { MINUTE_MS } from '../../../src/common/durations.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import type { Reply } from '../../harness/http-client.js';
import { ADMIN_INVESTMENTS, AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';

const HALF_HOUR_MS = 30 * MINUTE_MS;

describe('GET /api/admin/investments', () => {
  let platform: TestPlatform;
  let steps: AdminInvestmentSteps;
  let ann: TestUser;
  let bob: TestUser;

  // State on 12 March. The amounts differ, so that they identify the investments.
  //   ann  1 March  400.00  balanced-10     active, worth 401.045… (10 days of growth)
  //   ann  1 March  300.00  aggressive-20   completed on the 11th
  //   bob  2 March 2000.00  balanced-10     active since the approval on the 3rd
  //   bob 11 March 1500.00  conservative-5  pending
  //   bob 12 March  401.00  balanced-10     active, new
  //   ann 12 March 1000.00  aggressive-20   cancelled: rejected
  //   cid 12 March 3000.00  balanced-10     pending, half an hour after the others of this day
  //   cid 12 March 1200.00  conservative-5  pending, new
  beforeAll(async () => {
    platform = await startPlatform({
      at: '2026-03-01T10:00:00.000Z',
      settings: { INVESTMENT_APPROVAL_THRESHOLD: '1000' },
    });
    steps = new AdminInvestmentSteps(platform, await platform.given.admin('admin'));
    ann = await platform.given.user('ann@example.org').withBalance('10000.00');
    bob = await platform.given.user('bob@example.org').withBalance('10000.00');
    await steps.create(ann, '400.00');
    const closed = await steps.create(ann, '300.00', 'aggressive-20');
    steps.advanceDays(1);
    const large = await steps.create(bob, '2000.00');
    steps.advanceDays(1);
    await steps.approve(large);
    steps.advanceDays(8);
    await platform.as(ann).delete(`${INVESTMENTS}/${closed}`);
    await steps.create(bob, '1500.00', 'conservative-5');
    steps.advanceDays(1);
    await steps.create(bob, '401.00');
    await steps.reject(await steps.create(ann, '1000.00', 'aggressive-20'));
    platform.clock.advance(HALF_HOUR_MS);
    const cid = await platform.given.user('cid@example.org').withBalance('10000.00');
    await steps.create(cid, '3000.00');
    await steps.create(cid, '1200.00', 'conservative-5');
  });
  afterAll(() => platform?.stop());

  const amounts = ({ data }: Reply) => data.map(({ amount }: { amount: string }) => amount);

  it('lists investments with owner and status, and a summary over all of them', async () => {
    const reply = await steps.adminList();
    expect(
      reply.data.map((row: any) => [
        row.userEmail,
        row.amount,
        row.status,
        row.currentValue,
        row.totalEarnings,
      ]),
    ).toEqual([
      ['cid@example.org', '1200.00', 'pending', '1200.00', '0.00'],
      ['cid@example.org', '3000.00', 'pending', '3000.00', '0.00'],
      ['ann@example.org', '1000.00', 'cancelled', '1000.00', '0.00'],
      ['bob@example.org', '401.00', 'active', '401.00', '0.00'],
      ['bob@example.org', '1500.00', 'pending', '1500.00', '0.00'],
      ['bob@example.org', '2000.00', 'active', '2004.182347', '4.182347'], // 2000 × 1.1^(8/365)
      ['ann@example.org', '300.00', 'completed', '301.351716', '1.351716'], // 300 × 1.2^(9/365)
      ['ann@example.org', '400.00', 'active', '401.04586', '1.04586'], // 400 × 1.1^(10/365)
    ]);
    expect(reply.body.summary).toEqual({
      asOf: expect.any(String),
      totalInvestments: 8,
      totalValue: '8506.228207', // 1200 + 3000 + 401 + 1500 + 2004.182347 + 401.04586
      totalEarnings: '6.579923', // 4.182347 + 1.351716 + 1.04586
      activeInvestments: 3,
      pendingInvestments: 3,
      averageInvestment: '1225.125', // (400 + 300 + 2000 + 1500 + 401 + 1000 + 3000 + 1200) / 8
      topStrategy: 'balanced-10', // 401.04586 + 2004.182347 + 401 + 3000
    });
    const pagination = { page: 1, limit: 50, total: 8, totalPages: 1, hasNext: false, hasPrevious: false };
    expect(reply.body.pagination).toEqual({
      ...pagination,
      next: null,
      previous: null,
      asOf: expect.any(String),
    });
  });

  it.each([
    ['?status=active', ['401.00', '2000.00', '400.00']],
    ['?status=pending', ['1200.00', '3000.00', '1500.00']],
    ['?status=completed', ['300.00']],
    ['?status=cancelled', ['1000.00']],
    ['?strategyId=aggressive-20', ['1000.00', '300.00']],
    ['?strategyId=unheard-of', []],
    ['?minAmount=1500', ['3000.00', '1500.00', '2000.00']],
    ['?minAmount=1500.000001', ['3000.00', '2000.00']],
    ['?createdAfter=2026-03-12', ['1200.00', '3000.00', '1000.00', '401.00']],
    ['?createdAfter=2026-03-11T10:00:00.000Z', ['1200.00', '3000.00', '1000.00', '401.00', '1500.00']],
    ['?createdAfter=2026-03-11T10:00:00.001Z', ['1200.00', '3000.00', '1000.00', '401.00']],
    ['?status=active&strategyId=balanced-10&minAmount=401', ['401.00', '2000.00']],
    ['?orderBy=asc&limit=2', ['400.00', '300.00']],
    ['?orderBy=asc&limit=2&page=2', ['2000.00', '1500.00']],
    ['?sortBy=amount&limit=5', ['3000.00', '2000.00', '1500.00', '1200.00', '1000.00']],
    ['?sortBy=amount&limit=5&page=2', ['401.00', '400.00', '300.00']],
    ['?sortBy=amount&orderBy=asc&limit=2', ['300.00', '400.00']],
    ['?sortBy=currentValue&limit=5', ['3000.00', '2000.00', '1500.00', '1200.00', '1000.00']],
    ['?sortBy=currentValue&limit=5&page=2', ['400.00', '401.00', '300.00']],
    ['?sortBy=currentValue&orderBy=asc&limit=5', ['300.00', '401.00', '400.00', '1000.00', '1200.00']],
    ['?sortBy=currentValue&status=active', ['2000.00', '400.00', '401.00']],
    ['?sortBy=currentValue&strategyId=aggressive-20&orderBy=asc', ['300.00', '1000.00']],
    ['?sortBy=currentValue&minAmount=401&limit=2&page=3', ['1000.00', '401.00']],
    ['?page=9', []],
    ['?sortBy=currentValue&page=9', []],
  ])('returns for %s the investments of %j', async (query, expected) => {
    expect(amounts(await steps.adminList(query))).toEqual(expected);
  });

  it('filters by userId and user_id, and summarises only the filtered investments', async () => {
    for (const name of ['userId', 'user_id']) {
      const reply = await steps.adminList(`?${name}=${ann.id}&sortBy=currentValue`);
      expect(amounts(reply)).toEqual(['1000.00', '400.00', '300.00']);
      expect(reply.body.summary).toEqual({
        asOf: expect.any(String),
        totalInvestments: 3,
        totalValue: '401.04586',
        totalEarnings: '2.397576', // 1.04586 + 1.351716
        activeInvestments: 1,
        pendingInvestments: 0,
        averageInvestment: '566.666667', // (400 + 300 + 1000) / 3
        topStrategy: 'balanced-10', // the only open one
      });
    }
  });

  it('returns a summary of zeros when no investment matches', async () => {
    const reply = await steps.adminList('?minAmount=99999');
    expect(reply.data).toEqual([]);
    expect(reply.body.summary).toEqual({
      asOf: expect.any(String),
      totalInvestments: 0,
      totalValue: '0.00',
      totalEarnings: '0.00',
      activeInvestments: 0,
      pendingInvestments: 0,
      averageInvestment: '0.00',
      topStrategy: null,
    });
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['status=closed', 'VALIDATION_ERROR'],
    ['status=paused', 'VALIDATION_ERROR'],
    ['status=active&status=pending', 'VALIDATION_ERROR'],
    ['userId=1', 'VALIDATION_ERROR'],
    ['minAmount=1e3', 'VALIDATION_ERROR'],
    ['createdAfter=2026-02-30', 'VALIDATION_ERROR'],
    ['sortBy=roi', 'VALIDATION_ERROR'],
    ['orderBy=up', 'VALIDATION_ERROR'],
  ])('rejects ?%s with %s', async (query, code) => {
    expect(await steps.adminList(`?${query}`)).toMatchObject({ status: 400, code });
  });

  it('shows the linked wallet, and marks investments as paused while their strategy is suspended', async () => {
    await platform.dataSource.query(
      `insert into wallet (address, user_id, created_at, seal) values ($1, $2, now(), $3)`,
      ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', bob.id, WRONG_SEAL],
    );
    const api = await startApiWithSettings(platform, { SUSPENDED_STRATEGIES: 'balanced-10' });
    try {
      const reply = await platform.as(steps.admin, api.url).get(`${ADMIN_INVESTMENTS}?status=active`);
      expect(reply.data.map((row: any) => [row.amount, row.status, row.paused, row.nextYieldDate])).toEqual([
        ['401.00', 'active', true, null],
        ['2000.00', 'active', true, null],
        ['400.00', 'active', true, null],
      ]);
      expect(reply.data[0].walletAddress).toBe('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
      expect(reply.body.summary).toMatchObject({ activeInvestments: 3 });
    } finally {
      await api.stop();
    }
  });

  describe('with the suffix /pending', () => {
    it('shows the risk level and the compliance results of the user, and the waiting time', async () => {
      const reply = await steps.listPending();
      expect(reply.data[0]).toMatchObject({
        amount: '1500.00',
        status: 'pending',
        userEmail: 'bob@example.org',
        userVerificationStatus: 'not_checked',
        riskAssessment: { userRiskLevel: 'medium', strategyRiskLevel: 'low', match: true },
        complianceChecks: {
          kycStatus: 'not_checked',
          amlChecks: 'not_checked',
          sanctionsList: 'not_checked',
          riskLevel: 'not_checked',
        },
      });
      // Without any former investment the user’s risk level is unknown.
      expect(reply.data[1].riskAssessment).toEqual({
        userRiskLevel: 'unknown',
        strategyRiskLevel: 'medium',
        match: null,
      });
      expect(reply.body.summary).toEqual({
        asOf: expect.any(String),
        totalPending: 3,
        totalPendingValue: '5700.00', // 1500 + 3000 + 1200
        oldestPending: '2026-03-11T10:00:00.000Z',
        averageWaitTime: 29_400, // (a day and half an hour + 0 + 0) / 3, in seconds
      });
    });

    it('sorts by age or by amount and is paged', async () => {
      expect(amounts(await steps.listPending())).toEqual(['1500.00', '3000.00', '1200.00']);
      expect(amounts(await steps.listPending('?orderBy=desc'))).toEqual(['1200.00', '3000.00', '1500.00']);
      expect(amounts(await steps.listPending('?sortBy=amount'))).toEqual(['1200.00', '1500.00', '3000.00']);
      const second = await steps.listPending('?sortBy=amount&orderBy=desc&limit=2&page=2');
      expect(amounts(second)).toEqual(['1200.00']);
      expect(second.body.pagination).toMatchObject({ total: 3, totalPages: 2 });
      expect(second.body.summary.totalPending).toBe(3); // on all pages
    });

    it.each([
      ['page=0', 'INVALID_PAGINATION'],
      ['limit=0', 'INVALID_PAGINATION'],
      ['sortBy=currentValue', 'VALIDATION_ERROR'],
      ['orderBy=up', 'VALIDATION_ERROR'],
    ])('rejects ?%s with %s', async (query, code) => {
      expect(await steps.listPending(`?${query}`)).toMatchObject({ status: 400, code });
    });
  });

  it('with the suffix /summary returns sums of strategies with six decimals, to compare with the custody provider', async () => {
    const { data } = await platform.as(steps.admin).get(`${ADMIN_INVESTMENTS}/summary`);
    expect(data).toEqual({
      asOf: expect.any(String),
      summary: {
        totalInvestments: 8,
        totalAmount: '8501.00', // 2700 + 5801
        activeStrategies: 2,
      },
      byStrategy: {
        'conservative-5': '2700.000000', // 1500 + 1200
        'balanced-10': '5801.000000', // 400 + 2000 + 401 + 3000
        'aggressive-20': '0.000000',
      },
      byStatus: { active: 3, pending: 3, completed: 1, cancelled: 1 },
      performanceStats: {
        totalYield: '6.579923', // 4.182347 + 1.351716 + 1.04586
        averageYieldRate: 10,
        targetApy: 10, // all active investments are in balanced-10
        lastUpdated: '2026-03-12T10:30:00.000Z',
      },
    });
    const [ledger] = await platform.dataSource.query(
      `select sum(balance) = 8501 as agrees from ledger_account where kind = 'user.invested'`,
    );
    expect(ledger).toEqual({ agrees: true });
  });
});
