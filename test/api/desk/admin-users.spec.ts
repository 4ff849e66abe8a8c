import { randomUUID } from 'node:crypto';
import { Money } from '../../../src/common/money.js';
import { AdminInvestmentSteps } from '../../fixtures/admin-investments.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { UNKNOWN_ID, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

const PATH = '/api/admin/users';
const NOW = '2026-03-02T10:00:00.000Z';

describe('For admins,', () => {
  let platform: TestPlatform;
  let admin: TestAdmin;
  let withdrawals: WithdrawalSteps;
  let wallets: WalletSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { PERFORMANCE_FEE_PERCENT: '10' } });
    withdrawals = await withdrawalSteps(platform);
    admin = withdrawals.admin;
    wallets = new WalletSteps(platform);
  });
  beforeEach(() => platform.clock.moveTo(NOW));
  afterAll(() => platform?.stop());

  const create = (body: object) => platform.as(admin).post(PATH, body);
  const newEmail = () => `made-${randomUUID()}@example.org`;
  const audited = (id: string) =>
    platform.dataSource.query(
      'select actor, action, before, after from audit_entry where subject_id = $1 order by id',
      [id],
    );

  describe('POST /api/admin/users', () => {
    it('creates an account with the given values and records it in the audit log', async () => {
      const [id, wallet, email] = [randomUUID(), newWallet(), newEmail()];
      const body = { email: email.toUpperCase(), id: id.toUpperCase(), status: 'inactive' };
      const reply = await create({ ...body, walletAddress: wallet.address.toLowerCase() });
      expect(reply.status).toBe(201);
      const user = { id, email, status: 'inactive', walletAddress: wallet.address };
      expect(reply.data).toEqual({ ...user, createdAt: NOW, updatedAt: NOW, profile: null, permissions: [] });
      const after = { email, status: 'inactive', proposedWallet: wallet.address };
      expect(await audited(id)).toEqual([{ actor: admin.email, action: 'user.create', before: null, after }]);
    });

    it('creates an active account with a new id, which the owner gets on signing in', async () => {
      const email = newEmail();
      const { data } = await create({ email });
      expect(data).toMatchObject({ email, status: 'active', walletAddress: null });
      expect((await platform.given.user(email)).id).toBe(data.id);
      const { data: detail } = await platform.as(admin).get(`${PATH}/${data.id}`);
      expect(detail).toMatchObject({ emailVerified: true, lastLoginAt: NOW });
      expect(detail.compliance.registrationSource).toBe('admin');
    });

    it('rejects an id or e-mail address that is already in use and creates nothing', async () => {
      const user = await platform.given.user();
      const email = newEmail();
      const taken = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', body: detailsOf(field) });
      expect(await create({ email: user.email.toUpperCase() })).toMatchObject(taken('email'));
      expect(await create({ email, id: user.id })).toMatchObject(taken('id'));
      expect(await create({ email: 'support@example.com' })).toMatchObject(taken('email')); // the address of an admin
      expect((await platform.as(admin).get(`${PATH}?search=${email}`)).data).toEqual([]);
    });

    it('creates one account for ten concurrent requests with one e-mail address', async () => {
      const email = newEmail();
      const replies = await Promise.all(Array.from({ length: 10 }, () => create({ email })));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
    });

    it.each([
      [{}],
      [{ email: 'nobody' }],
      [{ email: `${'x'.repeat(65)}@example.org` }],
      [{ email: 'a@example.org', id: '1' }],
      [{ email: 'a@example.org', id: null }],
      [{ email: 'a@example.org', id: '00000000-0000-0000-0000-000000000000' }], // the id of the platform itself
      // Not a UUID of RFC 9562, and no path accepts it: the fourth group begins with 1 instead of 8, 9, a or b.
      [{ email: 'a@example.org', id: '11111111-1111-1111-1111-111111111111' }],
      [{ email: 'a@example.org', status: 'deleted' }],
      [{ email: 'a@example.org', walletAddress: '0x1' }],
      [{ email: 'a@example.org', role: 'admin' }],
    ])('rejects %j with VALIDATION_ERROR', async (body) => {
      expect(await create(body)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });
  });

  describe('GET /api/admin/users/:id', () => {
    it('returns all known data of a user and no other field', async () => {
      const investments = new InvestmentSteps(platform);
      const ann = await platform.given.user().withBalance('1000.00');
      const closed = await investments.create(ann, '365.00', 'aggressive-20');
      const open = await investments.create(ann, '100.00', 'conservative-5');
      platform.clock.moveTo('2026-03-05T10:00:00Z');
      const { data: paid } = await platform.as(ann).delete(`/api/user/investments/${closed}`);
      await withdrawals.reject((await withdrawals.request(ann, '10.00')).data.id);
      const { id } = (await withdrawals.request(ann, '20.00')).data;
      await withdrawals.take(id);
      await withdrawals.complete(id);
      await platform.as(ann).put('/api/user/profile', { name: 'Ann', notifications: { push: false } });
      const { data } = await platform.as(admin).get(`${PATH}/${ann.id}`);
      const { data: balance } = await platform.as(ann).get('/api/user/balance');
      const [listed] = (await platform.as(ann).get('/api/user/investments?status=active')).data;
      expect(data).toEqual({
        id: ann.id,
        email: ann.email,
        emailVerified: true,
        hold: null,
        locked: null,
        tier: { id: 'standard', name: 'Standard' },
        walletAddress: null,
        status: 'active',
        statusHistory: [],
        role: 'user',
        createdAt: NOW,
        lastLoginAt: NOW,
        profile: {
          name: 'Ann',
          preferences: {
            language: 'en',
            currency: 'USD',
            notifications: { email: true, push: false, emailAvailable: false },
            applied: ['notifications.push', 'language'],
          },
        },
        stats: {
          totalInvested: '465.00', // 365.00 + 100.00
          currentBalance: balance.total,
          totalWithdrawn: '20.00', // the rejected 10.00 were returned
          totalEarnings: Money.of(paid.totalEarnings).plus(Money.of(listed.totalEarnings)).toWire(), // before fees
          activeInvestments: 1,
          closedInvestments: 1,
          lifetimeTransactions: 8, // deposit, two investments, divestment, earning, fee, two withdrawals
          failedTransactions: 1,
        },
        investments: [
          {
            id: open,
            strategyId: 'conservative-5',
            amount: '100.00',
            currentValue: listed.currentValue,
            earnings: listed.totalEarnings,
            status: 'active',
            createdAt: NOW,
          },
          {
            id: closed,
            strategyId: 'aggressive-20',
            amount: '365.00',
            currentValue: paid.finalValue,
            earnings: paid.totalEarnings,
            status: 'closed',
            createdAt: NOW,
          },
        ],
        recentActivity: expect.any(Array),
        riskProfile: {
          level: 'low',
          score: 1,
          strategies: ['conservative-5'],
          largestInvestment: '365.00',
          preferredStrategy: 'aggressive-20',
        },
        compliance: {
          kycStatus: 'not_checked',
          amlChecks: 'not_checked',
          sanctionsList: 'not_checked',
          riskLevel: 'not_checked',
          screenedAt: null,
          screeningReference: null,
          ipAddress: null,
          country: null,
          registrationSource: 'identity_provider',
        },
      });
      expect(Money.of(data.stats.totalEarnings).isPositive()).toBe(true);
      expect(data.recentActivity).toHaveLength(8);
      expect(data.recentActivity[7]).toEqual({
        type: 'deposit', // as old as the two investments: the order of the ids decides
        description: expect.any(String),
        timestamp: NOW,
      });
    });

    it('counts the original amounts of investments that were partially closed later', async () => {
      const investments = new AdminInvestmentSteps(platform, admin);
      const ann = await platform.given.user().withBalance('1000.00');
      const large = await investments.create(ann, '500.00', 'aggressive-20');
      await investments.create(ann, '200.00', 'conservative-5');
      expect((await investments.close(large, '400.00')).status).toBe(200);
      const { data } = await platform.as(admin).get(`${PATH}/${ann.id}`);
      expect(data.riskProfile).toMatchObject({
        largestInvestment: '500.00', // 100.00 of it are still invested
        preferredStrategy: 'aggressive-20', // 500.00 against 200.00
      });
    });

    it('returns zeros, nulls and empty lists for a user without activity', async () => {
      const { id } = await platform.given.user();
      const { data } = await platform.as(admin).get(`${PATH}/${id}`);
      expect(data.riskProfile).toEqual({
        level: null,
        score: null,
        strategies: [],
        largestInvestment: '0.00',
        preferredStrategy: null,
      });
      expect(data).toMatchObject({ investments: [], recentActivity: [], stats: { currentBalance: '0.00' } });
    });

    it('has a basic view, and rejects unknown views', async () => {
      const { user, wallet } = await wallets.userWithWallet();
      expect((await platform.as(admin).get(`${PATH}/${user.id}?view=basic`)).data).toEqual({
        user: {
          id: user.id,
          email: user.email,
          status: 'active',
          walletAddress: wallet.address,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
      });
      const reply = await platform.as(admin).get(`${PATH}/${user.id}?view=short`);
      expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });
  });

  it('GET /api/admin/users/:id/wallets lists the wallets with which the user signs in, and the deposit addresses', async () => {
    const { user, wallet } = await wallets.userWithWallet();
    const deposits = '/api/user/deposits/address?currency=USDT';
    const { data: tron } = await platform.as(user).get(`${deposits}&network=TRC20`);
    const { data } = await platform.as(admin).get(`${PATH}/${user.id}/wallets`);
    expect(data.user).toEqual({
      id: user.id,
      email: user.email,
      status: 'active',
      personalWallets: [
        {
          id: expect.any(String),
          address: wallet.address,
          networkId: 31337, // the chain of the tests
          type: 'personal',
          createdAt: expect.any(String),
          suspendedAt: null,
        },
      ],
      depositWallets: [
        {
          address: tron.address,
          networkId: 728126428, // TRON
          type: 'deposit',
          network: 'TRC20',
          currency: 'USDT',
          createdAt: expect.any(String),
          derivationPath: null,
          addressIndex: null,
        },
      ],
    });
    const { id } = await platform.given.user();
    const { data: withoutWallets } = await platform.as(admin).get(`${PATH}/${id}/wallets`);
    expect(withoutWallets.user).toMatchObject({ personalWallets: [], depositWallets: [] });
  });

  it.each(['', '?view=basic', '/wallets'])(
    'GET /api/admin/users/:id%s answers 404 for an unknown user',
    async (suffix) => {
      for (const id of [UNKNOWN_ID, 'nobody', '1']) {
        const reply = await platform.as(admin).get(`${PATH}/${id}${suffix}`);
        expect(reply).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
      }
    },
  );

  it('GET /api/admin/profile returns the role and permissions of the calling admin', async () => {
    const support = await platform.given.admin('support');
    expect((await platform.as(support).get('/api/admin/profile')).data).toEqual({
      id: expect.any(String),
      email: 'support@example.com',
      role: 'support',
      permissions: ['users:read', 'investments:read', 'transactions:read'],
      status: 'active',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });
});

function detailsOf(field: string) {
  return { error: { details: { fields: [expect.objectContaining({ field })] } } };
}
