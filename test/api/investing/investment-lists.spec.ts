import { InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';

describe('Reading investments', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  beforeAll(async () => {
    platform = await startPlatform({ at: START });
    steps = new InvestmentSteps(platform);
  });
  afterAll(() => platform?.stop());

  describe('GET /api/user/investments', () => {
    it('pages, sorts, filters, and sums all matching investments', async () => {
      const ann = await platform.given.user().withBalance('10000.00');
      const amounts = ['100', '300', '200', '400', '50'];
      for (const [index, amount] of amounts.entries()) {
        platform.clock.advance(1000);
        await steps.create(ann, amount, index % 2 ? 'conservative-5' : 'aggressive-20');
      }
      const list = async (query: string) => (await platform.as(ann).get(`${PATH}?${query}`)).body;
      const amountsOf = async (query: string) =>
        (await list(query)).data.map(({ amount }: { amount: string }) => amount).join(' ');

      const page = await list('page=2&limit=2');
      expect(page.data.map(({ amount }: { amount: string }) => amount)).toEqual(['200.00', '300.00']);
      expect(page.pagination).toEqual({
        page: 2,
        limit: 2,
        total: 5,
        totalPages: 3,
        hasNext: true,
        hasPrevious: true,
        next: expect.any(String),
        previous: expect.any(String),
      });
      expect(page.summary).toEqual({
        totalInvested: '1050.00', // 100 + 300 + 200 + 400 + 50
        totalCurrentValue: '1050.00',
        totalEarnings: '0.00',
        averageROI: 0,
        activeInvestments: 5,
        closed: { count: 0, principal: '0.00', earnings: '0.00', fees: '0.00' },
      });
      expect(Object.keys(page.data[0]).sort()).toEqual(
        [
          'id',
          'finalValue',
          'withdrawnAmount',
          'endedAt',
          'strategyId',
          'strategyName',
          'amount',
          'currentValue',
          'totalEarnings',
          'apy',
          'roi',
          'status',
          'createdAt',
          'nextYieldDate',
          'firstPrincipal',
          'carriedFees',
          'closedParts',
        ].sort(),
      );
      expect(await amountsOf('orderBy=asc')).toBe('100.00 300.00 200.00 400.00 50.00');
      expect(await amountsOf('sortBy=amount')).toBe('400.00 300.00 200.00 100.00 50.00');
      expect(await amountsOf('sortBy=currentValue&orderBy=asc')).toBe('50.00 100.00 200.00 300.00 400.00');
      expect(await amountsOf('strategyId=conservative-5')).toBe('400.00 300.00');
      expect(await amountsOf('strategyId=unheard-of')).toBe('');
      expect(await amountsOf('status=closed')).toBe('');
      expect((await list('page=9')).data).toEqual([]);
      expect((await list('page=9')).pagination.total).toBe(5);
    });

    it('returns an empty list and zeros for a new user', async () => {
      const { body } = await platform.as(await platform.given.user()).get(PATH);
      expect(body.data).toEqual([]);
      expect(body.summary).toMatchObject({ totalInvested: '0.00', averageROI: null, activeInvestments: 0 });
      expect(body.pagination).toMatchObject({ page: 1, limit: 20, total: 0, totalPages: 0 });
    });

    it.each([
      ['page=0', 'INVALID_PAGINATION'],
      ['page=-1', 'INVALID_PAGINATION'],
      ['page=one', 'INVALID_PAGINATION'],
      ['page=1.5', 'INVALID_PAGINATION'],
      ['limit=0', 'INVALID_PAGINATION'],
      ['limit=101', 'INVALID_PAGINATION'],
      ['page=1&page=2', 'INVALID_PAGINATION'],
      ['page=99999999999999999999', 'INVALID_PAGINATION'],
      ['status=open', 'VALIDATION_ERROR'],
      ['status=active&status=closed', 'VALIDATION_ERROR'],
      ['sortBy=userId', 'VALIDATION_ERROR'],
      ['sortBy=amount;drop', 'VALIDATION_ERROR'],
      ['orderBy=up', 'VALIDATION_ERROR'],
    ])('rejects ?%s with %s', async (query, code) => {
      const reply = await platform.as(await platform.given.user()).get(`${PATH}?${query}`);
      expect([reply.status, reply.code]).toEqual([400, code]);
    });
  });

  describe('GET /api/user/investments/performance', () => {
    it('sums open investments by strategy and includes the return of closed ones', async () => {
      const ann = await platform.given.user().withBalance('3000.00');
      const first = await steps.create(ann, '1000.00');
      await steps.create(ann, '1000.00', 'aggressive-20');
      await steps.create(ann, '500.00', 'aggressive-20');
      platform.clock.moveTo('2026-04-02T10:00:00.000Z'); // 31 days after START
      await platform.as(ann).delete(`${PATH}/${first}`);
      const { data } = await platform.as(ann).get(`${PATH}/performance`);
      // The open ones grow at 20 % for 30 full days: 1000 × 1.2^(30/365) = 1015.0981765…, 500 × 1.2^(30/365) = 507.5490882…
      // The closed one is of Balanced 10%: it grew by 1000 × (1.1^(30/365) − 1) = 7.8644772…, and its fee is
      // 1000 × 0.50 % × 31 / 365 = 0.4246575…, both rounded down.
      expect(data).toEqual({
        portfolio: {
          totalInvested: '1500.00',
          totalCurrentValue: '1522.647265',
          totalEarnings: '30.511742', // 22.647265 unrealised, and 7.864477 of the closed investment
          realised: '7.864477',
          fees: '0.424657',
          totalReturn: '30.087085', // 30.511742 − 0.424657
          averageROI: 1.5098, // percent: 100 × 22.647265 / 1500
          weightedAPY: 20,
          targetApy: 20,
        },
        investments: [
          {
            strategyId: 'aggressive-20',
            strategyName: 'Aggressive 20%',
            totalInvested: '1500.00',
            currentValue: '1522.647265',
            earnings: '22.647265',
            roi: 1.5098,
            count: 2,
          },
        ],
        breakdown: { byStatus: { active: 2, paused: 0, closed: 1 }, byStrategy: { 'aggressive-20': 2 } },
      });
    });

    it('returns zeros for a user without investments', async () => {
      const { data } = await platform.as(await platform.given.user()).get(`${PATH}/performance`);
      expect(data).toMatchObject({
        portfolio: { totalInvested: '0.00', weightedAPY: null, targetApy: null },
        investments: [],
      });
    });
  });
});
