import type { Reply } from '../../harness/http-client.js';
import type { TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

describe('GET /api/admin/withdrawals', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let ann: TestUser;
  let bob: TestUser;
  const ids: string[] = [];

  // Yesterday: ann's 100.00 is completed after two hours. Today: ann's 300.00 is completed after one hour,
  // ann's 50.00 is rejected; bob's 20.00 and ann's 40.00 wait, 40.00 since 10:00 and 20.00 since 11:00.
  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    ann = await platform.given.user('ann@example.org').withBalance('1000.00');
    bob = await platform.given.user('bob@example.org').withBalance('500.00');
    const at = async (time: string, act: () => Promise<unknown>) => {
      platform.clock.moveTo(time);
      return act();
    };
    const request = (time: string, user: TestUser, amount: string) =>
      at(time, async () => ids.push((await steps.request(user, amount)).data.id));

    await request('2026-03-01T10:00:00Z', ann, '100.00');
    await steps.take(ids[0] as string);
    await at('2026-03-01T12:00:00Z', () => steps.complete(ids[0] as string));
    await request('2026-03-02T08:00:00Z', ann, '300.00');
    await steps.take(ids[1] as string);
    await at('2026-03-02T09:00:00Z', () => steps.complete(ids[1] as string));
    await request('2026-03-02T09:30:00Z', ann, '50.00');
    await steps.reject(ids[2] as string);
    await request('2026-03-02T10:00:00Z', ann, '40.00');
    await request('2026-03-02T11:00:00Z', bob, '20.00');
    platform.clock.moveTo('2026-03-02T12:00:00Z');
  });
  afterAll(() => platform?.stop());

  const list = (query = '') => platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}${query}`);
  const amounts = (reply: Reply) => reply.data.map((row: { amount: string }) => row.amount);

  it('lists all withdrawals, newest first, with a summary', async () => {
    const reply = await list();
    expect(amounts(reply)).toEqual(['20.00', '40.00', '50.00', '300.00', '100.00']);
    expect(reply.data[0]).toMatchObject({
      userId: bob.id,
      userEmail: 'bob@example.org',
      walletAddress: null,
      destinationAddress: DESTINATION,
      source: 'available',
      gasFee: '0.00',
      txHash: null,
      approvedAt: null,
      completedAt: null,
    });
    expect(reply.body.summary).toEqual({
      asOf: expect.any(String),
      totalWithdrawals: 5,
      totalWithdrawnValue: '400.00', // 100.00 + 300.00
      pendingWithdrawals: 2,
      pendingValue: '60.00', // 40.00 + 20.00
      completedToday: 1,
      completedTodayValue: '300.00',
      averageWithdrawal: '102.00', // (100 + 300 + 50 + 40 + 20) / 5
      averageProcessingTime: 5400, // (7200 s + 3600 s) / 2
    });
    const pagination = { page: 1, limit: 50, total: 5, totalPages: 1, hasNext: false, hasPrevious: false };
    expect(reply.body.pagination).toEqual({
      ...pagination,
      next: null,
      previous: null,
      asOf: expect.any(String),
    });
  });

  it.each([
    ['?status=completed', ['300.00', '100.00']],
    ['?status=failed', []],
    ['?status=cancelled', []],
    ['?minAmount=50.00', ['50.00', '300.00', '100.00']],
    ['?minAmount=50.000001', ['300.00', '100.00']],
    ['?createdAfter=2026-03-02', ['20.00', '40.00', '50.00', '300.00']],
    ['?createdAfter=2026-03-02T10:00:00.001Z', ['20.00']],
    ['?createdBefore=2026-03-02', ['100.00']],
    ['?createdAfter=2026-03-02T09:30:00Z&createdBefore=2026-03-02T11:00:00Z', ['40.00', '50.00']],
    ['?takenBy=admin@example.com', ['300.00', '100.00']],
    ['?takenBy=admin2@example.com', []],
    ['?takenAfter=2026-03-02', ['300.00']],
    ['?takenBefore=2026-03-02T08:00:00Z', ['100.00']],
    ['?completedBy=admin@example.com&sortBy=amount&orderBy=asc', ['100.00', '300.00']],
    ['?completedBy=admin@example.com&status=pending', []],
    ['?completedAfter=2026-03-01T12:00:00Z&completedBefore=2026-03-02T09:00:00Z', ['100.00']],
    ['?completedBefore=2026-03-03', ['300.00', '100.00']],
    [`?toAddress=${DESTINATION.toLowerCase()}&minAmount=50.00`, ['50.00', '300.00', '100.00']],
    [`?toAddress=${DESTINATION.replace(/.$/, '0')}`, []],
    ['?sortBy=amount', ['300.00', '100.00', '50.00', '40.00', '20.00']],
    ['?sortBy=amount&orderBy=asc', ['20.00', '40.00', '50.00', '100.00', '300.00']],
    ['?sortBy=createdAt&orderBy=asc', ['100.00', '300.00', '50.00', '40.00', '20.00']],
    // Withdrawals that are not completed come last in descending order, and first in ascending order.
    ['?sortBy=completedAt', ['300.00', '100.00', '20.00', '40.00', '50.00']],
    ['?sortBy=completedAt&orderBy=asc', ['50.00', '40.00', '20.00', '100.00', '300.00']],
    ['?sortBy=completedAt&orderBy=asc&status=completed', ['100.00', '300.00']],
    ['?orderBy=asc&page=2&limit=2', ['50.00', '40.00']],
    ['?page=9', []],
  ])('lists the matching withdrawals in the requested order for %s', async (query, expected) => {
    expect(amounts(await list(query))).toEqual(expected);
  });

  it('filters by the hash with and without 0x, in any letter case, and counts what it lists', async () => {
    const { txHash } = await steps.detail(ids[1] as string);
    for (const spelled of [txHash, txHash.slice(2), txHash.slice(2).toUpperCase()]) {
      const reply = await list(`?txHash=${spelled}`);
      expect(amounts(reply)).toEqual(['300.00']);
      expect(reply.body).toMatchObject({
        pagination: { total: 1 },
        summary: { totalWithdrawals: 1, totalWithdrawnValue: '300.00', completedToday: 1 },
      });
    }
    expect(amounts(await list(`?txHash=${'ab'.repeat(32)}`))).toEqual([]);
  });

  it.each([
    ['?txHash=0x12', 'INVALID_TX_HASH'],
    ['?toAddress=0x12', 'VALIDATION_ERROR'],
    ['?takenBy=', 'VALIDATION_ERROR'],
    ['?takenAfter=yesterday', 'VALIDATION_ERROR'],
    ['?completedBefore=2026-13-01', 'VALIDATION_ERROR'],
  ])('refuses %s with %s', async (query, code) => {
    expect((await list(query)).code).toBe(code);
  });

  it('filters by userId and user_id, and summarises only the filtered withdrawals', async () => {
    for (const name of ['userId', 'user_id']) {
      const reply = await list(`?${name}=${bob.id}`);
      expect(amounts(reply)).toEqual(['20.00']);
      expect(reply.body.summary).toEqual({
        asOf: expect.any(String),
        totalWithdrawals: 1,
        totalWithdrawnValue: '0.00',
        pendingWithdrawals: 1,
        pendingValue: '20.00',
        completedToday: 0,
        completedTodayValue: '0.00',
        averageWithdrawal: '20.00',
        averageProcessingTime: null,
      });
    }
  });

  it('has a basic view: the withdrawals and their number, without a summary', async () => {
    const reply = await list('?view=basic&status=completed&limit=1');
    expect(reply.data).toMatchObject({ withdrawals: [{ amount: '300.00' }], total: 2 });
    expect(reply.body).not.toHaveProperty('summary');
    expect((await list('?view=basic&status=failed')).data).toEqual({
      withdrawals: [],
      total: 0,
      next: null,
      previous: null,
    });
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['status=lost', 'VALIDATION_ERROR'],
    ['status=pending&status=failed', 'VALIDATION_ERROR'],
    ['userId=1', 'VALIDATION_ERROR'],
    ['minAmount=1e3', 'VALIDATION_ERROR'],
    ['createdAfter=2026-02-30', 'VALIDATION_ERROR'],
    ['sortBy=status', 'VALIDATION_ERROR'],
    ['orderBy=up', 'VALIDATION_ERROR'],
    ['view=rich', 'VALIDATION_ERROR'],
  ])('refuses ?%s: 400 %s', async (query, code) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, code });
  });

  it('lists at /pending the pending withdrawals, oldest first, with the data that a decision needs', async () => {
    const reply = await list('/pending');
    expect(amounts(reply)).toEqual(['40.00', '20.00']);
    expect(reply.data[0]).toMatchObject({
      userEmail: 'ann@example.org',
      // 300.00 + 40.00 in the last 24 hours; 50.00 was rejected, 100.00 is older. 50000.00 − 340.00 = 49660.00
      limits: { dailyLimit: '50000.00', usedToday: '340.00', remainingToday: '49660.00' },
      // 1000.00 − 100.00 − 300.00 − 40.00 = 560.00
      userBalance: { available: '560.00', invested: '0.00' },
      complianceChecks: {
        kycStatus: 'not_checked',
        amlChecks: 'not_checked',
        sanctionsList: 'not_checked',
        riskLevel: 'not_checked',
      },
    });
    expect(reply.data[1]).toMatchObject({
      limits: { usedToday: '20.00' },
      userBalance: { available: '480.00' }, // 500.00 − 20.00
    });
    expect(reply.body.summary).toEqual({
      asOf: expect.any(String),
      totalPending: 2,
      totalPendingValue: '60.00',
      oldestPending: '2026-03-02T10:00:00.000Z',
      averageWaitTime: 5400, // (7200 s + 3600 s) / 2
    });
    expect(amounts(await list('/pending?sortBy=amount'))).toEqual(['20.00', '40.00']);
    expect(amounts(await list('/pending?sortBy=amount&orderBy=desc'))).toEqual(['40.00', '20.00']);
    expect(amounts(await list('/pending?orderBy=desc'))).toEqual(['20.00', '40.00']);
    expect(amounts(await list('/pending?limit=1&page=2'))).toEqual(['20.00']);
    expect(await list('/pending?sortBy=completedAt')).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
    });
  });

  it.each(['', '/pending', '?view=basic'])(
    'sends the same number of statements for one row as for many: GET /api/admin/withdrawals%s',
    async (path) => {
      const statements = async (limit: number) => {
        const sent = await fewestQueriesDuring(() =>
          list(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}`),
        );
        return sent.length;
      };
      expect([await statements(1), await statements(50)]).toEqual([2, 2]); // the page and its totals
    },
  );
});
