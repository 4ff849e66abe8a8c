import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ProviderCallbacks } from '../../fixtures/provider-callbacks.js';

const PATH = '/api/user/deposits';

describe('GET /api/user/deposits', () => {
  let platform: TestPlatform;
  let user: TestUser;

  beforeAll(async () => {
    const settings = { DEPOSIT_POLL_SECONDS: '3600', USDT_USDC_RATE: '0.5' };
    platform = await startPlatform({ settings, blockIntervalMs: 0, at: '2026-03-01T23:00:00.000Z' });
    const callbacks = new ProviderCallbacks(platform);
    user = await platform.given.user();
    const addressFor = async (query: string) =>
      (await platform.as(user).get(`${PATH}/address?${query}`)).data.address;
    const usdt = await addressFor('currency=USDT');
    const usdc = await addressFor('currency=USDC');
    const erc20 = await addressFor('currency=USDC&network=ERC20');
    await callbacks.reportDeposit({ address: usdt, amount: '1000' }); // completed; 500.00 in USDC
    await callbacks.reportDeposit({
      currency: 'USDC',
      address: usdc,
      amount: '600.123456789', // shown rounded down to six decimals
      status: 'Processing',
      confirmations: 3,
    });
    platform.clock.moveTo('2026-03-02T01:00:00.000Z'); // the next day
    await callbacks.reportDeposit({ currency: 'USDC', address: usdc, amount: '700' }); // completed
    await callbacks.reportDeposit({ currency: 'USDC', address: usdc, amount: '50' }); // held
    await callbacks.reportDeposit({ address: usdt, amount: '800', status: 'Failed', confirmations: 0 });
    await callbacks.reportDeposit({ address: usdt, amount: '900', status: 'Pending', confirmations: 0 });
    await callbacks.reportDeposit({
      currency: 'ETH',
      network: 'erc20',
      address: erc20,
      amount: '2.5',
      confirmations: 12,
    }); // completed
  });
  afterAll(() => platform?.stop());

  const amounts = async (query: string) => {
    const { data } = await platform.as(user).get(PATH + query);
    return data.map(({ amount }: { amount: string }) => amount);
  };

  it('lists deposits, newest first', async () => {
    expect(await amounts('')).toEqual([
      '2.50',
      '900.00',
      '800.00',
      '50.00',
      '700.00',
      '600.123456',
      '1000.00',
    ]);
  });

  it.each([
    ['?status=completed', ['2.50', '700.00', '1000.00']],
    ['?status=confirming', ['50.00', '600.123456']],
    ['?status=pending', ['900.00']],
    ['?status=failed', ['800.00']],
    ['?currency=USDT&orderBy=asc', ['1000.00', '800.00', '900.00']],
    ['?currency=ETH', ['2.50']],
    ['?currency=USDC&status=completed', ['700.00']],
    ['?endDate=2026-03-01', ['600.123456', '1000.00']],
    ['?startDate=2026-03-02&endDate=2026-03-02&currency=USDC', ['50.00', '700.00']],
    ['?startDate=2026-03-02T01:00:00.001Z', []],
    ['?sortBy=amount', ['1000.00', '900.00', '800.00', '700.00', '600.123456', '50.00', '2.50']],
    ['?sortBy=confirmations&orderBy=asc&limit=3', ['800.00', '900.00', '600.123456']], // 0, 0, 3
    ['?page=2&limit=3', ['50.00', '700.00', '600.123456']],
    ['?page=4&limit=3', []],
  ])('filters, sorts and pages by %s', async (query, expected) => {
    expect(await amounts(query)).toEqual(expected);
  });

  it.each([
    // Without ETH and the failed deposit; USDT counts half: completed 500 + 700; pending 600.123456 + 50 + 450.
    [
      '',
      {
        totalDeposited: '2300.123456',
        totalCompleted: '1200.00',
        totalPending: '1100.123456',
        currency: 'USDC',
      },
    ],
    [
      '?page=2&limit=1',
      {
        totalDeposited: '2300.123456',
        totalCompleted: '1200.00',
        totalPending: '1100.123456',
        currency: 'USDC',
      },
    ],
    [
      '?currency=USDT',
      { totalDeposited: '1900.00', totalCompleted: '1000.00', totalPending: '900.00', currency: 'USDT' },
    ],
    [
      '?currency=ETH',
      { totalDeposited: '2.50', totalCompleted: '2.50', totalPending: '0.00', currency: 'ETH' },
    ],
    [
      '?status=failed',
      { totalDeposited: '0.00', totalCompleted: '0.00', totalPending: '0.00', currency: 'USDC' },
    ],
  ])('sums all deposits that match the query %j and have not failed', async (query, summary) => {
    const { body } = await platform.as(user).get(PATH + query);
    expect(body.summary).toEqual(summary);
  });

  it('shows a completed total that equals the available balance', async () => {
    const { body } = await platform.as(user).get(PATH);
    const { data } = await platform.as(user).get('/api/user/balance');
    expect(body.summary.totalCompleted).toBe(data.available);
  });

  it('reports the pagination', async () => {
    const { body } = await platform.as(user).get(`${PATH}?limit=3`);
    expect(body.pagination).toEqual({
      page: 1,
      limit: 3,
      total: 7,
      totalPages: 3,
      hasNext: true,
      hasPrevious: false,
      next: expect.any(String),
      previous: null,
    });
  });

  it('shows no deposits of another user', async () => {
    const { body } = await platform.as(await platform.given.user()).get(PATH);
    expect(body.data).toEqual([]);
    expect(body.pagination.total).toBe(0);
  });

  it.each([
    ['?status=lost', 'VALIDATION_ERROR'],
    ['?currency=EUR', 'VALIDATION_ERROR'],
    ['?sortBy=txHash', 'VALIDATION_ERROR'],
    ['?orderBy=up', 'VALIDATION_ERROR'],
    ['?status=pending&status=failed', 'VALIDATION_ERROR'],
    ['?startDate=yesterday', 'VALIDATION_ERROR'],
    ['?startDate=2026-03-02&endDate=2026-03-01', 'INVALID_DATE_RANGE'],
    ['?endDate=2026-03-04', 'INVALID_DATE_RANGE'], // after tomorrow (UTC), which may have begun in eastern time zones
    ['?page=0', 'INVALID_PAGINATION'],
    ['?limit=101', 'INVALID_PAGINATION'],
  ])('refuses %s: 400 %s', async (query, code) => {
    const refused = await platform.as(user).get(PATH + query);
    expect([refused.status, refused.code]).toEqual([400, code]);
  });
});
