import { DAY_MS, HOUR_MS } from '../../../src/common/durations.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { changeTier, DIFFERENT_TIERS, limitsFile, LIMITS } from '../../fixtures/limits.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ADDRESSES = '/api/user/addresses';

describe('With limits by tier,', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let approvals: ApprovalSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LIMITS_FILE: limitsFile(DIFFERENT_TIERS) } });
    steps = await withdrawalSteps(platform);
    approvals = await approvalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const userOf = async (tier: 'standard' | 'premium', balance = '100000.00'): Promise<TestUser> => {
    const user = await platform.given.user().withBalance(balance);
    if (tier !== 'standard') await changeTier(platform, approvals, user, tier);
    return user;
  };
  const limitsOf = async (user: TestUser) => (await platform.as(user).get(LIMITS)).data;

  describe('GET /api/user/limits', () => {
    it('has the first tier of the file for a new user, with what is used and left of each window', async () => {
      const user = await userOf('standard');
      expect((await steps.request(user, '120.50')).status).toBe(201);
      const { tier, windows, withdrawals, strategies } = await limitsOf(user);
      expect(tier).toEqual({ id: 'standard', name: 'Standard' });
      expect(windows).toEqual([
        { window: 'transaction', limit: '300.00', used: '0.00', left: '300.00' },
        { window: 'day', limit: '500.00', used: '120.50', left: '379.50' },
        { window: 'month', limit: '1000.00', used: '120.50', left: '879.50' },
      ]);
      expect(withdrawals).toMatchObject({
        minimum: '20.00',
        dailyLimit: '500.00',
        usedToday: '120.50',
        available: '379.50', // 500.00 − 120.50
        addressBook: 'optional',
      });
      expect(strategies[0]).toMatchObject({ minimum: '10.00', maximum: '700.00', available: true });
    });

    it('leaves out a window that the tier does not limit', async () => {
      const { tier, windows, withdrawals } = await limitsOf(await userOf('premium'));
      expect(tier).toEqual({ id: 'premium', name: 'Premium' });
      expect(windows).toEqual([
        { window: 'day', limit: '20000.00', used: '0.00', left: '20000.00' },
        { window: 'month', limit: '40000.00', used: '0.00', left: '40000.00' },
      ]);
      expect(withdrawals.addressBook).toBe('required');
    });
  });

  describe('a withdrawal', () => {
    const refusal = async (user: TestUser, amount: string) => {
      const reply = await steps.request(user, amount);
      expect([reply.status, reply.code]).toEqual([422, 'WITHDRAWAL_LIMIT_EXCEEDED']);
      return reply.body.error.details;
    };

    it('is refused below the minimum of the tier', async () => {
      expect((await steps.request(await userOf('standard'), '19.999999')).code).toBe('INVALID_AMOUNT');
    });

    it('is refused above the amount of one transaction, and accepted at it', async () => {
      const user = await userOf('standard');
      expect(await refusal(user, '300.000001')).toEqual({
        window: 'transaction',
        limit: '300.00',
        used: '0.00',
        available: '300.00',
        dailyLimit: '500.00',
        usedToday: '0.00',
      });
      expect((await steps.request(user, '300.00')).status).toBe(201);
    });

    it('is refused above what is left of 24 hours, which the details state', async () => {
      const user = await userOf('standard');
      await steps.request(user, '300.00');
      expect(await refusal(user, '200.000001')).toEqual({
        window: 'day',
        limit: '500.00',
        used: '300.00',
        available: '200.00', // 500.00 − 300.00
        dailyLimit: '500.00',
        usedToday: '300.00',
      });
      expect((await steps.request(user, '200.00')).status).toBe(201);
      platform.clock.advance(DAY_MS - 1);
      expect(await refusal(user, '20.00')).toMatchObject({ window: 'day', available: '0.00' });
      platform.clock.advance(1);
      expect((await steps.request(user, '300.00')).status).toBe(201);
    });

    it('is refused above what is left of 30 days, of which the oldest withdrawal leaves first', async () => {
      const user = await userOf('standard');
      for (const amount of ['300.00', '200.00', '300.00', '150.00']) {
        expect((await steps.request(user, amount)).status).toBe(201);
        platform.clock.advance(DAY_MS);
      }
      expect(await refusal(user, '50.000001')).toEqual({
        window: 'month',
        limit: '1000.00',
        used: '950.00', // 300.00 + 200.00 + 300.00 + 150.00
        available: '50.00',
        dailyLimit: '500.00',
        usedToday: '0.00',
      });
      expect((await steps.request(user, '50.00')).status).toBe(201);
      platform.clock.advance(26 * DAY_MS - 1); // with the four days above, a millisecond before 30 days after the first
      expect(await refusal(user, '20.00')).toMatchObject({ window: 'month', available: '0.00' });
      platform.clock.advance(1);
      expect((await limitsOf(user)).windows[2]).toMatchObject({ used: '700.00', left: '300.00' }); // 200 + 300 + 150 + 50
    });

    it('that was rejected or cancelled gives back its part of all windows, and one that failed keeps it', async () => {
      const user = await userOf('standard');
      const ids: string[] = [];
      for (const amount of ['100.00', '80.00', '60.00'])
        ids.push((await steps.request(user, amount)).data.id);
      const usedOfWindows = async () =>
        (await limitsOf(user)).windows.slice(1).map(({ used }: { used: string }) => used);
      expect(await usedOfWindows()).toEqual(['240.00', '240.00']);
      await steps.cancel(ids[0] as string, user);
      expect(await usedOfWindows()).toEqual(['140.00', '140.00']);
      await steps.reject(ids[1] as string);
      expect(await usedOfWindows()).toEqual(['60.00', '60.00']);
      await steps.take(ids[2] as string);
      await steps.fail(ids[2] as string);
      expect(await usedOfWindows()).toEqual(['60.00', '60.00']);
    });

    it('needs an address of the address book only if the tier demands it, after the delay of the tier', async () => {
      const standard = await userOf('standard');
      const premium = await userOf('premium');
      expect((await steps.request(standard, '20.00')).status).toBe(201);
      expect((await steps.request(premium, '20.00')).code).toBe('ADDRESS_NOT_ALLOWED');
      /** Adds DESTINATION to the address book; returns the milliseconds until it is usable. */
      const add = async (user: TestUser) => {
        const entry = { label: 'Own', address: DESTINATION, network: 'ERC20' };
        const { data } = await platform.as(user).post(ADDRESSES, entry);
        return new Date(data.usableFrom).getTime() - platform.clock.now().getTime();
      };
      expect([await add(standard), await add(premium)]).toEqual([0, 48 * HOUR_MS]);
      platform.clock.advance(48 * HOUR_MS);
      expect((await steps.request(premium, '20.00')).status).toBe(201);
    });

    it('needs two admins from `approvalAbove` of the tier on, and waits among the approvals [SEC-565]', async () => {
      const user = await userOf('standard');
      const { id: smallId } = (await steps.request(user, '199.999999')).data;
      const { id: largeId } = (await steps.request(user, '200.00')).data;
      expect((await approvals.get(smallId)).code).toBe('APPROVAL_NOT_FOUND');
      expect((await approvals.get(largeId)).data).toMatchObject({ kind: 'withdrawal', status: 'pending' });
      const listed = (await approvals.list('kind=withdrawal&limit=100')).data.map(
        ({ id }: { id: string }) => id,
      );
      expect(listed).toContain(largeId);
      expect(listed).not.toContain(smallId);
      expect((await steps.take(largeId)).code).toBe('FOUR_EYES_REQUIRED');
      expect((await steps.take(smallId)).status).toBe(200);
      await steps.approve(largeId);
      expect((await steps.take(largeId, approvals.second)).status).toBe(200);
    });

    it('is taken by one admin alone below `approvalAbove` of a higher tier', async () => {
      const user = await userOf('premium');
      await platform.as(user).post(ADDRESSES, { label: 'Own', address: DESTINATION, network: 'ERC20' });
      platform.clock.advance(48 * HOUR_MS);
      const { id } = (await steps.request(user, '9999.00')).data;
      expect((await approvals.get(id)).code).toBe('APPROVAL_NOT_FOUND');
      expect((await steps.take(id)).status).toBe(200);
    });

    it('is shown to operators with the daily limit of its user', async () => {
      const user = await userOf('standard');
      const { id } = (await steps.request(user, '20.00')).data;
      const limits = { dailyLimit: '500.00', usedToday: '20.00', remainingToday: '480.00' };
      expect((await steps.detail(id)).limits).toMatchObject(limits);
      const { data } = await platform
        .as(steps.admin)
        .get('/api/admin/withdrawals/pending?limit=100&orderBy=desc');
      expect(data.find((row: { id: string }) => row.id === id).limits).toEqual(limits);
    });
  });

  it('an investment above the largest one of the tier is refused', async () => {
    const user = await userOf('standard');
    const invest = (by: TestUser, amount: string) =>
      platform.as(by).post(INVESTMENTS, { strategyId: 'balanced-10', amount });
    const refused = await invest(user, '700.000001');
    expect([refused.status, refused.code]).toEqual([400, 'INVALID_AMOUNT']);
    expect(refused.body.error.details).toMatchObject({ minimum: '10.00', maximum: '700.00' });
    expect((await invest(user, '700.00')).status).toBe(201);
    expect((await invest(user, '700.00')).status).toBe(201); // each
    expect((await invest(await userOf('premium'), '700.000001')).status).toBe(201);
  });

  it('the quick action withdraw of the dashboard is disabled when less than the minimum is left of a window', async () => {
    const user = await userOf('standard');
    const isEnabled = async () =>
      (await platform.as(user).get('/api/user/dashboard')).data.quickActions.find(
        ({ action }: { action: string }) => action === 'withdraw',
      ).enabled;
    expect(await isEnabled()).toBe(true);
    for (const amount of ['300.00', '190.00']) await steps.request(user, amount);
    expect(await isEnabled()).toBe(false); // 10.00 are left, and the minimum is 20.00
  });
});
