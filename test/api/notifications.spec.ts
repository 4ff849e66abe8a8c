import type { TestUser } from '../fixtures/given.js';
import { DomainEventFixtures } from '../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const PATH = '/api/user/notifications';
const UNKNOWN = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

describe('GET /api/user/notifications', () => {
  let platform: TestPlatform;
  let happens: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform();
    happens = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform.stop());

  const list = (user: TestUser, query = '') => platform.as(user).get(`${PATH}${query}`);
  const titles = async (user: TestUser, query = ''): Promise<string[]> =>
    (await list(user, query)).data.map((note: { title: string }) => note.title);
  const unread = async (user: TestUser) => (await platform.as(user).get(`${PATH}/unread/count`)).data;

  /** One notification an hour: deposit (high), investment (normal), deposit seen (low), status (critical). */
  async function userWithFour(): Promise<TestUser> {
    const user = await platform.given.user();
    platform.clock.moveTo('2026-03-01T23:00:00.000Z');
    await platform.given.deposit(user.id, '1000.00');
    platform.clock.moveTo('2026-03-02T00:00:00.000Z');
    await happens.invest(user.id, '100.00');
    platform.clock.moveTo('2026-03-02T01:00:00.000Z');
    await happens.deposit('deposit.seen', { userId: user.id, amount: '700.00' });
    platform.clock.moveTo('2026-03-02T02:00:00.000Z');
    await happens.security('security.status-changed', user.id, 'Your account is active again.');
    platform.clock.moveTo('2026-03-02T10:00:00.000Z');
    return user;
  }

  it('returns an empty list for a new user', async () => {
    const { status, body } = await list(await platform.given.user());
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 0,
      totalPages: 0,
      hasNext: false,
      hasPrevious: false,
      unreadCount: 0,
    });
  });

  it('describes the event with its amounts', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const [note] = (await list(user)).data;
    expect(note).toEqual({
      id: expect.any(String),
      type: 'deposit',
      title: 'Deposit completed',
      message: 'Your deposit of 1000.00 USDC has been credited.',
      priority: 'high',
      isRead: false,
      category: 'transaction',
      actionUrl: '/deposits',
      metadata: {
        depositId: expect.any(String),
        amount: '1000.00',
        currency: 'USDC',
        network: 'ERC20',
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
      createdAt: '2026-03-02T10:00:00.000Z',
      readAt: null,
    });
  });

  it('contains notifications of a deposit, an investment and a withdrawal', async () => {
    const user = await platform.given.user();
    const deposit = await happens.deposit('deposit.seen', { userId: user.id, amount: '400.00' });
    await happens.deposit('deposit.confirming', deposit, { confirmations: 1 });
    await happens.deposit('deposit.held', deposit, { reason: 'Below the minimum.' });
    await happens.deposit('deposit.completed', deposit);
    const investment = await happens.invest(user.id, '100.00');
    await happens.approve(investment);
    await happens.close(investment, '1.00', '0.10');
    await happens.returnPrincipal('investment.cancelled', await happens.invest(user.id, '50.00'));
    const withdrawal = await happens.withdraw(user.id, '20.00');
    for (const step of ['approved', 'taken', 'completed'] as const)
      await happens.withdrawal(`withdrawal.${step}`, withdrawal);
    await happens.withdrawal(
      'withdrawal.rejected',
      await happens.withdraw(user.id, '30.00'),
      'Unknown address.',
    );

    expect(await titles(user, '?orderBy=asc')).toEqual([
      'Deposit seen',
      'Deposit held',
      'Deposit completed',
      'Investment created',
      'Investment approved',
      'Investment closed',
      'Investment created',
      'Investment cancelled',
      'Withdrawal requested',
      'Withdrawal in progress',
      'Withdrawal completed',
      'Withdrawal requested',
      'Withdrawal rejected',
    ]);
  });

  describe('filters and pages', () => {
    let user: TestUser;
    beforeAll(async () => {
      user = await userWithFour();
      const [newest] = (await list(user)).data;
      await platform.as(user).put(`${PATH}/${newest.id}/read`);
    });

    const [status, seen, investment, deposit] = [
      'Account status changed',
      'Deposit seen',
      'Investment created',
      'Deposit completed',
    ];
    it.each([
      ['', [status, seen, investment, deposit]],
      ['?orderBy=asc', [deposit, investment, seen, status]],
      ['?sortBy=priority', [status, deposit, investment, seen]],
      ['?sortBy=priority&orderBy=asc', [seen, investment, deposit, status]],
      ['?unread=true', [seen, investment, deposit]],
      ['?unread=false', [status]],
      ['?type=deposit', [seen, deposit]],
      ['?type=deposit&unread=false', []],
      ['?type=earning', []],
      ['?limit=3&page=2', [deposit]],
      ['?page=2', []],
    ])('query %j returns %j', async (query, expected) => {
      expect(await titles(user, query)).toEqual(expected);
    });

    it('total follows the filter, unreadCount does not', async () => {
      expect((await list(user, '?type=deposit&limit=1')).body.pagination).toEqual({
        page: 1,
        limit: 1,
        total: 2,
        totalPages: 2,
        hasNext: true,
        hasPrevious: false,
        unreadCount: 3, // 4 − 1 read
      });
    });

    it.each([
      ['?page=0', 'INVALID_PAGINATION'],
      ['?limit=0', 'INVALID_PAGINATION'],
      ['?limit=101', 'INVALID_PAGINATION'],
      ['?limit=ten', 'INVALID_PAGINATION'],
      ['?unread=yes', 'VALIDATION_ERROR'],
      ['?unread=true&unread=false', 'VALIDATION_ERROR'],
      ['?type=gossip', 'VALIDATION_ERROR'],
      ['?sortBy=type', 'VALIDATION_ERROR'],
      ['?orderBy=down', 'VALIDATION_ERROR'],
    ])('query %j is rejected with %s', async (query, code) => {
      expect(await list(user, query)).toMatchObject({ status: 400, code });
    });
  });

  it('counts unread notifications by type and priority', async () => {
    const user = await userWithFour();
    expect(await unread(user)).toEqual({
      total: 4,
      byType: { deposit: 2, investment: 1, security: 1 },
      byPriority: { critical: 1, high: 1, normal: 1, low: 1 },
    });
    expect(await unread(await platform.given.user())).toEqual({
      total: 0,
      byType: {},
      byPriority: { critical: 0, high: 0, normal: 0, low: 0 },
    });
  });

  it.each([
    ['GET', PATH],
    ['GET', `${PATH}/unread/count`],
    ['PUT', `${PATH}/mark-all-read`],
    ['PUT', `${PATH}/${UNKNOWN}/read`],
  ])('%s %s needs a user', async (method, path) => {
    expect(await platform.as(null).call(method, path)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    expect(await platform.as({ token: 'x' }).call(method, path)).toMatchObject({
      status: 401,
      code: 'TOKEN_INVALID',
    });
    const admin = await platform.given.admin();
    expect(await platform.as(admin).call(method, path)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('contains no notification of a posting that the ledger rejected', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const spoilt = new DomainEventFixtures(platform.app, true);
    await expect(
      spoilt.deposit('deposit.completed', { userId: user.id, amount: '500.00' }),
    ).rejects.toThrow();
    await expect(spoilt.invest(user.id, '50.00')).rejects.toThrow();
    await expect(spoilt.withdraw(user.id, '50.00')).rejects.toThrow();
    await expect(spoilt.security('security.wallet-linked', user.id, 'Linked.')).rejects.toThrow();
    expect(await titles(user)).toEqual(['Deposit completed']); // of the first event, which was committed
  });
});
