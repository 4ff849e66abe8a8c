import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { ProviderCallbacks } from '../../fixtures/provider-callbacks.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/admin/deposits';
const USER_DEPOSITS = '/api/user/deposits';

let platform: TestPlatform;
let admin: TestAdmin;
let ann: TestUser;
let bob: TestUser;

beforeAll(async () => {
  const settings = { DEPOSIT_POLL_SECONDS: '3600', USDT_USDC_RATE: '1.333333' };
  platform = await startPlatform({ settings, blockIntervalMs: 0, at: '2026-03-01T23:00:00.000Z' });
  admin = await platform.given.admin('support');
  const callbacks = new ProviderCallbacks(platform);
  ann = await platform.given.user('ann@example.org');
  bob = await platform.given.user('bob@example.org');
  const address = async (user: TestUser, query: string) =>
    (await platform.as(user).get(`${USER_DEPOSITS}/address?${query}`)).data.address as string;
  const annUsdt = await address(ann, 'currency=USDT');
  const annErc20 = await address(ann, 'currency=USDC&network=ERC20');
  const bobUsdt = await address(bob, 'currency=USDT');
  const bobUsdc = await address(bob, 'currency=USDC');
  await callbacks.reportDeposit({ address: annUsdt, amount: '1000' }); // completed: 1000 × 1.333333 = 1333.333 USDC
  await callbacks.reportDeposit({
    currency: 'USDC',
    address: bobUsdc,
    amount: '600.123456789', // shown rounded down to six decimals
    status: 'Processing', // confirming
    confirmations: 3,
  });
  platform.clock.moveTo('2026-03-02T12:00:00.000Z');
  await callbacks.reportDeposit({ currency: 'USDC', address: bobUsdc, amount: '50' }); // held: below the minimum of 500.00
  await callbacks.reportDeposit({ address: bobUsdt, amount: '70.000001' }); // held: 70.000001 × 1.333333 = 93.333311 USDC
  await callbacks.reportDeposit({ address: annUsdt, amount: '800', status: 'Failed', confirmations: 0 });
  platform.clock.moveTo('2026-03-03T01:00:00.000Z');
  await callbacks.reportDeposit({
    address: bobUsdt,
    amount: '900.000001',
    status: 'Pending',
    confirmations: 0,
  });
  const ether = { currency: 'ETH', network: 'erc20', address: annErc20, amount: '2.5', confirmations: 12 };
  await callbacks.reportDeposit(ether); // completed
  const claim = { currency: 'USDC', amount: '555.00', fromAddress: annErc20 };
  const txHash = `0x${'ab'.repeat(32)}`;
  expect((await platform.as(ann).post('/api/user/blockchain/deposit', { txHash, ...claim })).status).toBe(
    201,
  );
});
afterAll(() => platform?.stop());

describe('GET /api/admin/deposits', () => {
  const list = (query = '') => platform.as(admin).get(PATH + query);
  const amounts = async (query: string) =>
    (await list(query)).data.map(({ amount }: { amount: string }) => amount);
  const ALL = ['555.00', '2.50', '900.000001', '800.00', '70.000001', '50.00', '600.123456', '1000.00'];

  it('lists the deposits of all users, newest first, with the fields that users see and the e-mail address', async () => {
    const reply = await list();
    expect([reply.status, await amounts('')]).toEqual([200, ALL]);
    const ofUsers = new Map<string, object>();
    for (const user of [ann, bob])
      for (const deposit of (await platform.as(user).get(USER_DEPOSITS)).data)
        ofUsers.set(deposit.id, { ...deposit, userEmail: user.email });
    expect(reply.data).toEqual(reply.data.map(({ id }: { id: string }) => ofUsers.get(id)));
    expect(reply.body.pagination).toMatchObject({ page: 1, limit: 50, total: 8 });
  });

  it.each([
    ['?status=completed', ['2.50', '1000.00']],
    ['?status=all&currency=all&network=all&holdReason=all', ALL],
    ['?status=confirming', ['70.000001', '50.00', '600.123456']],
    ['?currency=USDC', ['555.00', '50.00', '600.123456']],
    ['?currency=USDT&status=failed', ['800.00']],
    ['?network=ERC20', ['555.00', '2.50']],
    ['?network=BEP20', []],
    ['?holdReason=BELOW_MINIMUM', ['70.000001', '50.00']],
    ['?holdReason=BELOW_MINIMUM&currency=USDT', ['70.000001']],
    ['?holdReason=BOOKED_BY_HAND', []],
    ['?createdAfter=2026-03-02T12:00:00.000Z&createdBefore=2026-03-03', ['800.00', '70.000001', '50.00']],
    ['?createdAfter=2026-03-02T12:00:00.001Z', ['555.00', '2.50', '900.000001']],
    ['?createdBefore=2026-03-02T12:00:00.000Z', ['600.123456', '1000.00']],
    ['?createdAfter=2026-03-03&createdBefore=2026-03-02', []],
    ['?sortBy=amount&orderBy=asc&limit=3', ['2.50', '50.00', '70.000001']],
    ['?sortBy=amount&limit=2&page=2', ['800.00', '600.123456']],
    ['?sortBy=confirmations&orderBy=asc&limit=4', ['800.00', '900.000001', '555.00', '600.123456']],
    ['?page=2&limit=6', ['600.123456', '1000.00']],
    ['?page=3&limit=6', []],
  ])('filters, sorts and pages by %s', async (query, expected) => {
    expect(await amounts(query)).toEqual(expected);
  });

  it('selects the deposits of one user by userId or user_id', async () => {
    const ofAnn = ['555.00', '2.50', '800.00', '1000.00'];
    expect(await amounts(`?userId=${ann.id}`)).toEqual(ofAnn);
    expect(await amounts(`?user_id=${ann.id}`)).toEqual(ofAnn);
    expect(await amounts(`?userId=${UNKNOWN_ID}`)).toEqual([]);
  });

  it.each([
    'status=cancelled',
    'currency=BTC',
    'network=SOL',
    'holdReason=OTHER',
    'userId=1',
    'user_id=x',
    'createdAfter=yesterday',
    'createdBefore=2026-02-30',
    'sortBy=status',
    'orderBy=up',
  ])('refuses %s with VALIDATION_ERROR', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  it('refuses a page or limit out of range with INVALID_PAGINATION', async () => {
    for (const query of ['page=0', 'limit=101', 'limit=0'])
      expect(await list(`?${query}`)).toMatchObject({ status: 400, code: 'INVALID_PAGINATION' });
  });

  it('needs the permission transactions:read', async () => {
    const operator = await platform.given.admin('operator');
    expect((await platform.as(operator).get(PATH)).code).toBe('PERMISSION_DENIED');
    expect((await platform.as(ann).get(PATH)).code).toBe('ADMIN_REQUIRED');
    expect((await platform.as(null).get(PATH)).code).toBe('TOKEN_MISSING');
  });

  describe('the summary', () => {
    const summaryOf = async (query: string) => (await list(query)).body.summary;
    const zero = { totalDeposited: '0.00', totalCompleted: '0.00', totalPending: '0.00' };

    const EXPECTED: [string, object][] = [
      // In USDC: pending 600.123456 + 50 + 93.333311 + 1199.999701 (900.000001 USDT × 1.333333) = 1943.456468, of which
      // 50 + 93.333311 = 143.333311 are held. With a filter by currency, in that currency: pending
      // 70.000001 + 900.000001 = 970.000002 USDT, and 600.123456 + 50 = 650.123456 USDC.
      [
        '',
        { totalCompleted: '1333.333', totalPending: '1943.456468', heldCount: 2, heldValue: '143.333311' },
      ],
      ['?limit=1&page=2', { totalCompleted: '1333.333', totalPending: '1943.456468', heldCount: 2 }],
      ['?currency=USDT', { totalCompleted: '1000.00', totalPending: '970.000002', heldValue: '70.000001' }],
      ['?currency=USDC', { totalCompleted: '0.00', totalPending: '650.123456', heldValue: '50.00' }],
      ['?currency=ETH', { totalDeposited: '2.50', totalCompleted: '2.50', currency: 'ETH', heldCount: 0 }],
      ['?status=failed', { ...zero, heldCount: 0, heldValue: '0.00', currency: 'USDC' }],
      ['?holdReason=BELOW_MINIMUM', { totalPending: '143.333311', heldCount: 2, heldValue: '143.333311' }],
      // Ether is not summed in USDC, and a claim counts in no total.
      ['?network=ERC20', { ...zero, currency: 'USDC' }],
      ['?createdAfter=2026-03-02T12:00:00.000Z&createdBefore=2026-03-03', { totalPending: '143.333311' }],
      ['?createdBefore=2026-03-02', { totalCompleted: '1333.333', totalPending: '600.123456', heldCount: 0 }],
    ];

    it.each(EXPECTED)('sums all deposits that match the query "%s"', async (query, expected) => {
      expect(await summaryOf(query)).toMatchObject(expected);
    });

    it('does not change when the sums are computed again', async () => {
      await platform.dataSource.query('select mark_all_totals()'); // the test client waits for the job that computes them
      for (const [query, expected] of EXPECTED) expect(await summaryOf(query)).toMatchObject(expected);
    });

    it('with the filter userId equals the summary that the user sees', async () => {
      for (const user of [ann, bob])
        for (const query of ['', '&currency=USDT', '&status=confirming', '&currency=ETH']) {
          const ofUser = (await platform.as(user).get(`${USER_DEPOSITS}?${query}`)).body;
          const { body } = await list(`?userId=${user.id}${query}`);
          expect(body.summary).toMatchObject(ofUser.summary);
          expect(body.pagination.total).toBe(ofUser.pagination.total);
        }
    });
  });
});

describe('GET /api/user/deposits/:id', () => {
  it('returns a deposit of the user with the fields of the list', async () => {
    const { data } = await platform.as(bob).get(USER_DEPOSITS);
    for (const deposit of data) {
      const reply = await platform.as(bob).get(`${USER_DEPOSITS}/${deposit.id}`);
      expect([reply.status, reply.data]).toEqual([200, deposit]);
    }
  });

  it('refuses deposits of other users, unknown ids and texts that are not ids', async () => {
    const [{ id }] = (await platform.as(bob).get(USER_DEPOSITS)).data;
    expect(await platform.as(ann).get(`${USER_DEPOSITS}/${id}`)).toMatchObject({
      status: 403,
      code: 'PERMISSION_DENIED',
    });
    for (const unknown of [UNKNOWN_ID, '1', 'status'])
      expect(await platform.as(ann).get(`${USER_DEPOSITS}/${unknown}`)).toMatchObject({
        status: 404,
        code: 'DEPOSIT_NOT_FOUND',
      });
  });
});
