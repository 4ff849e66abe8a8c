import { Money } from '../../../src/common/money.js';
import { WRONG_SEAL } from '../../fixtures/sealed-rows.js';
import type { Reply } from '../../harness/http-client.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { withdrawalSteps } from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/users';
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('GET /api/admin/users', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let ann: TestUser;

  // 1 March: the admin signs in, who is no user. 2 March: ann invests 300.00 and 100.00, moves the 100.00 and withdraws 50.00.
  // 3 March: bob invests 100.00 and cancels; his withdrawal of 10.00 is rejected.
  // 4 March: the admin creates cid, suspended and with a wallet. Today is 5 March.
  beforeAll(async () => {
    platform = await startPlatform({ at: '2026-03-01T10:00:00Z' });
    const investments = new InvestmentSteps(platform);
    const withdrawals = await withdrawalSteps(platform);
    admin = withdrawals.admin;
    platform.clock.moveTo('2026-03-02T10:00:00Z');
    ann = await platform.given.user('ann_miller@example.org').withBalance('1000.00');
    await investments.create(ann, '300.00', 'conservative-5');
    await investments.move(ann, await investments.create(ann, '100.00'));
    const { data } = await withdrawals.request(ann, '50.00');
    await withdrawals.take(data.id);
    await withdrawals.complete(data.id);
    platform.clock.moveTo('2026-03-03T10:00:00Z');
    const bob = await platform.given.user('bob.100%@example.org').withBalance('500.00');
    const cancelled = await investments.create(bob, '100.00');
    await platform.as(bob).post(`/api/user/investments/${cancelled}/cancel`);
    await withdrawals.reject((await withdrawals.request(bob, '10.00')).data.id);
    await platform.as(bob).put('/api/user/profile', { name: String.raw`Bob \ Builder` });
    platform.clock.moveTo('2026-03-04T10:00:00Z');
    const cid = await platform.as(admin).post(PATH, { email: 'Cid@example.org', status: 'suspended' });
    expect(cid.status).toBe(201);
    const link = 'insert into wallet (address, user_id, created_at, seal) values ($1, $2, now(), $3)';
    await platform.dataSource.query(link, [WALLET, cid.data.id, WRONG_SEAL]);
    platform.clock.moveTo('2026-03-05T10:00:00Z');
  });
  afterAll(() => platform?.stop());

  const list = (query = '') => platform.as(admin).get(`${PATH}${query}`);
  /** The first three letters of the e-mail addresses. */
  const names = (reply: Reply) =>
    (reply.data.users ?? reply.data).map((user: { email: string }) => user.email.slice(0, 3));

  it('lists all users with their figures, newest first', async () => {
    const reply = await list();
    expect(names(reply)).toEqual(['cid', 'bob', 'ann']);
    const [ofCid, ofBob, ofAnn] = reply.data;
    const { summary: seenByAnn } = (await platform.as(ann).get('/api/user/investments?status=active')).body;
    expect(ofAnn).toEqual({
      id: ann.id,
      email: 'ann_miller@example.org',
      emailVerified: true,
      status: 'active',
      role: 'user',
      tier: { id: 'standard', name: 'Standard' },
      walletAddress: null,
      createdAt: '2026-03-02T10:00:00.000Z',
      updatedAt: '2026-03-02T10:00:00.000Z',
      lastLoginAt: '2026-03-02T10:00:00.000Z',
      totalInvestments: 2, // a move does not count as a new investment
      totalAmount: '400.00', // 300.00 + 100.00
      stats: {
        totalInvested: '400.00',
        totalWithdrawn: '50.00',
        totalEarnings: seenByAnn.totalEarnings, // nothing is realised
        activeInvestments: 2,
        lifetimeTransactions: 6, // a deposit, three investments, a divestment and a withdrawal
      },
      // 300.00 at low risk (1) and 100.00 at high risk (3): (300 × 1 + 100 × 3) / 400 = 1.5
      riskProfile: { level: 'medium', score: 1.5, strategies: ['conservative-5', 'aggressive-20'] },
    });
    expect(ofBob).toMatchObject({
      totalInvestments: 1,
      totalAmount: '100.00', // counts although it was cancelled
      // Transactions: a deposit, an investment, a divestment and a withdrawal.
      stats: { totalWithdrawn: '0.00', activeInvestments: 0, lifetimeTransactions: 4 },
      riskProfile: { level: null, score: null, strategies: [] },
    });
    expect(ofCid).toMatchObject({
      email: 'cid@example.org',
      emailVerified: false,
      lastLoginAt: null,
      walletAddress: WALLET,
      status: 'suspended',
    });
    expect(reply.body.summary).toEqual({
      asOf: expect.any(String),
      totalUsers: 3,
      activeUsers: 2,
      suspendedUsers: 1,
      inactiveUsers: 0,
      // The investments of 2 March have grown. They belong to ann, who sees the same value.
      totalPlatformTVL: seenByAnn.totalCurrentValue,
      averageInvestmentPerUser: seenByAnn.totalCurrentValue, // the other users have no open investment
    });
    expect(Money.of(reply.body.summary.totalPlatformTVL).isMoreThan(Money.of('400.00'))).toBe(true);
    const pagination = { page: 1, limit: 50, total: 3, totalPages: 1, hasNext: false, hasPrevious: false };
    expect(reply.body.pagination).toEqual({ ...pagination, next: null, previous: null });
  });

  it.each([
    ['?status=suspended', ['cid']],
    ['?status=inactive', []],
    ['?status=active&orderBy=asc', ['ann', 'bob']],
    ['?registeredAfter=2026-03-03', ['cid', 'bob']],
    ['?registeredAfter=2026-03-03T10:00:00.001Z', ['cid']],
    ['?createdAfter=2026-03-03', ['cid', 'bob']],
    ['?createdBefore=2026-03-03T10:00:00.000Z', ['ann']],
    ['?createdBefore=2026-03-03T10:00:00.001Z', ['bob', 'ann']],
    ['?createdAfter=2026-03-03&createdBefore=2026-03-04', ['bob']],
    ['?screening=not_checked', ['cid', 'bob', 'ann']], // no provider is configured
    ['?screening=clear', []],
    ['?minInvestment=100.00', ['bob', 'ann']],
    ['?minInvestment=100.000001', ['ann']],
    ['?minInvestment=0', ['cid', 'bob', 'ann']],
    ['?sortBy=totalInvested&limit=2', ['ann', 'bob']],
    ['?sortBy=totalInvested&orderBy=asc&minInvestment=1', ['bob', 'ann']],
    ['?sortBy=lastLoginAt', ['bob', 'ann', 'cid']], // users without a sign-in are last, in ascending order first
    ['?sortBy=lastLoginAt&orderBy=asc', ['cid', 'ann', 'bob']],
    ['?page=2&limit=2', ['ann']],
    ['?page=9', []],
    ['?search=', ['cid', 'bob', 'ann']],
    ['?search=example.org', ['cid', 'bob', 'ann']],
    ['?search=MILLER', ['ann']],
    ['?search=builder', ['bob']], // the name in the profile
    ['?search=test person', ['ann']], // the name from the identity provider
    [`?search=${WALLET.slice(4, 14).toLowerCase()}`, ['cid']], // a part of the address of the wallet
    ['?search=_', ['ann']], // in a LIKE pattern it would match any character
    ['?search=100%25', ['bob']], // 100%
    ['?search=%25', ['bob']], // in a LIKE pattern it would match any text
    ['?search=n_m', ['ann']],
    ['?search=n%25m', []],
    ['?search=%5C', ['bob']], // a backslash
    ['?search=%5C_', []],
    ["?search='", []],
    ['?search=example.org&status=active&sortBy=totalInvested&orderBy=asc', ['bob', 'ann']],
  ])('returns for %s the users %j', async (query, expected) => {
    const reply = await list(query);
    expect(names(reply)).toEqual(expected);
    if (!query.includes('page=') && !query.includes('limit='))
      expect(reply.body.summary.totalUsers).toBe(expected.length);
  });

  it('finds one user by userId or user_id regardless of the page parameter', async () => {
    for (const name of ['userId', 'user_id']) {
      const reply = await list(`?${name}=${ann.id.toUpperCase()}&page=7&limit=1`);
      expect(names(reply)).toEqual(['ann']);
      expect(reply.body.pagination).toMatchObject({ page: 1, total: 1, totalPages: 1, hasPrevious: false });
      const { averageInvestmentPerUser, totalPlatformTVL, totalUsers } = reply.body.summary;
      expect([totalUsers, averageInvestmentPerUser]).toEqual([1, totalPlatformTVL]);
    }
    expect(names(await list(`?userId=${ann.id}&status=suspended`))).toEqual([]);
  });

  it('summarises all filtered users over all pages', async () => {
    const { summary } = (await list('?status=suspended')).body;
    expect(summary).toEqual({
      asOf: expect.any(String),
      totalUsers: 1,
      activeUsers: 0,
      suspendedUsers: 1,
      inactiveUsers: 0,
      totalPlatformTVL: '0.00',
      averageInvestmentPerUser: '0.00',
    });
    expect((await list('?status=inactive')).body.summary.averageInvestmentPerUser).toBe('0.00');
    expect((await list('?limit=1')).body.summary).toEqual((await list()).body.summary);
  });

  it('has a basic view with pagination inside the data, which searches e-mail addresses only', async () => {
    const reply = await list('?view=basic&limit=1&search=example.org&sortBy=totalInvested');
    expect(reply.data).toEqual({
      users: [
        {
          id: ann.id,
          email: 'ann_miller@example.org',
          status: 'active',
          role: 'user',
          totalInvestments: 2,
          totalAmount: '400.00',
          createdAt: '2026-03-02T10:00:00.000Z',
          updatedAt: '2026-03-02T10:00:00.000Z',
        },
      ],
      pagination: {
        page: 1,
        limit: 1,
        total: 3,
        totalPages: 3,
        hasNext: true,
        hasPrevious: false,
        next: expect.any(String),
        previous: null,
      },
    });
    expect(Object.keys(reply.body)).not.toContain('summary');
    expect(names(await list('?view=basic&search=builder'))).toEqual([]);
    expect(names(await list('?view=basic&search=_'))).toEqual(['ann']);
  });

  it.each([
    ['page=0', 'INVALID_PAGINATION'],
    ['limit=101', 'INVALID_PAGINATION'],
    ['view=basic&page=x', 'INVALID_PAGINATION'],
    ['status=lost', 'VALIDATION_ERROR'],
    ['status=active&status=inactive', 'VALIDATION_ERROR'],
    ['userId=1', 'VALIDATION_ERROR'],
    ['minInvestment=-1', 'VALIDATION_ERROR'],
    ['registeredAfter=2026-02-30', 'VALIDATION_ERROR'],
    ['sortBy=email', 'VALIDATION_ERROR'],
    ['orderBy=up', 'VALIDATION_ERROR'],
    ['view=rich', 'VALIDATION_ERROR'],
    ['search=%00', 'VALIDATION_ERROR'],
  ])('rejects ?%s with %s', async (query, code) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, code });
  });

  it('rejects a search text longer than an e-mail address can be', async () => {
    expect((await list(`?search=${'x'.repeat(320)}`)).status).toBe(200);
    expect(await list(`?search=${'x'.repeat(321)}`)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  });

  describe('with the suffix /search', () => {
    const search = (email: string) => list(`/search?email=${encodeURIComponent(email)}`);
    const suggest = async (text: string) =>
      (await search(text)).data.suggestions.map((user: { email: string }) => user.email);

    it('finds a user by e-mail address regardless of case and surrounding spaces', async () => {
      const { data } = await search(' ANN_Miller@example.org ');
      expect(data).toMatchObject({ users: [{ id: ann.id, totalAmount: '400.00' }], suggestions: [] });
    });

    it('suggests addresses that contain the text first, then the most similar ones', async () => {
      const suggested = ['walter-with-a-very-long-name', 'walte', 'waltar'].map(
        (name) => `${name}@example.org`,
      );
      for (const email of suggested.toReversed()) await platform.given.user(email);
      expect(await suggest('walter')).toEqual(suggested);
    });

    it('suggests similar addresses, and takes the characters of patterns literally', async () => {
      expect((await suggest('ann_miler@example.org'))[0]).toBe('ann_miller@example.org');
      expect(await suggest('cid')).toEqual(['cid@example.org']);
      expect(await suggest('_')).toEqual(['ann_miller@example.org']);
      expect(await suggest('zzzz')).toEqual([]);
      expect((await search('ann_miler@example.org')).data.users).toEqual([]);
    });

    it.each([
      ['', 'MISSING_REQUIRED_FIELD'],
      ['?email=', 'VALIDATION_ERROR'],
      ['?email=a&email=b', 'VALIDATION_ERROR'],
    ])('rejects the query %j with %s', async (query, code) => {
      expect(await list(`/search${query}`)).toMatchObject({ status: 400, code });
    });
  });
});
