import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures, userWithFourNotifications } from '../../fixtures/domain-event-fixtures.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/notifications';

describe('The notifications of a user', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform();
    events = new DomainEventFixtures(platform.app);
  });
  afterAll(() => platform?.stop());

  const list = (user: TestUser, query = '') => platform.as(user).get(`${PATH}${query}`);
  const titles = async (user: TestUser, query = ''): Promise<string[]> =>
    (await list(user, query)).data.map((note: { title: string }) => note.title);
  const unread = async (user: TestUser) => (await platform.as(user).get(`${PATH}/unread/count`)).data;

  it('are empty for a new user', async () => {
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
      next: null,
      previous: null,
      unreadCount: 0,
    });
  });

  it('contain the event and its amounts', async () => {
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

  it('are created for the steps of a deposit, an investment and a withdrawal', async () => {
    const user = await platform.given.user();
    const deposit = await events.deposit('deposit.seen', { userId: user.id, amount: '400.00' });
    await events.deposit('deposit.confirming', deposit, { confirmations: 1 });
    await events.deposit('deposit.held', deposit, { reason: 'Below the minimum.' });
    await events.deposit('deposit.completed', deposit);
    const investment = await events.invest(user.id, '100.00');
    await events.approve(investment);
    await events.close(investment, '1.00', '0.10');
    await events.returnPrincipal('investment.cancelled', await events.invest(user.id, '50.00'));
    const withdrawal = await events.withdraw(user.id, '20.00');
    for (const step of ['approved', 'taken', 'completed'] as const)
      await events.withdrawal(`withdrawal.${step}`, withdrawal);
    await events.withdrawal(
      'withdrawal.rejected',
      await events.withdraw(user.id, '30.00'),
      'Unknown address.',
    );

    // `deposit.confirming` and `withdrawal.approved` create no notification.
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

  describe('in the list', () => {
    let user: TestUser;
    beforeAll(async () => {
      user = await userWithFourNotifications(platform, events);
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
    ])('for the query %j are %j', async (query, expected) => {
      expect(await titles(user, query)).toEqual(expected);
    });

    it('come with the total of the filter and the count of all unread ones', async () => {
      expect((await list(user, '?type=deposit&limit=1')).body.pagination).toEqual({
        page: 1,
        limit: 1,
        total: 2,
        totalPages: 2,
        hasNext: true,
        hasPrevious: false,
        next: expect.any(String),
        previous: null,
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
    ])('are refused with an invalid query %j: %s', async (query, code) => {
      expect(await list(user, query)).toMatchObject({ status: 400, code });
    });
  });

  it('are counted by type and priority while unread', async () => {
    const user = await userWithFourNotifications(platform, events);
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
    ['PUT', `${PATH}/${UNKNOWN_ID}/read`],
  ])('are refused by %s %s to anonymous callers and admins', async (method, path) => {
    expect(await platform.as(null).call(method, path)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    expect(await platform.as({ token: 'x' }).call(method, path)).toMatchObject({
      status: 401,
      code: 'TOKEN_INVALID',
    });
    const admin = await platform.given.admin();
    expect(await platform.as(admin).call(method, path)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('are not created when the ledger rejects the event', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const failing = new DomainEventFixtures(platform.app, true); // the ledger rejects the last posting
    await expect(
      failing.deposit('deposit.completed', { userId: user.id, amount: '500.00' }),
    ).rejects.toThrow();
    await expect(failing.invest(user.id, '50.00')).rejects.toThrow();
    await expect(failing.withdraw(user.id, '50.00')).rejects.toThrow();
    await expect(failing.security('security.wallet-linked', user.id)).rejects.toThrow();
    expect(await titles(user)).toEqual(['Deposit completed']); // of the first deposit
  });
});
