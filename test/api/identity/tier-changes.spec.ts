import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestUser } from '../../fixtures/given.js';
import { changeTier, DIFFERENT_TIERS, limitsFile, LIMITS } from '../../fixtures/limits.js';
import { tableOwner } from '../../fixtures/table-owner.js';
import { violatedWithoutPause } from '../../fixtures/violations.js';
import { UNKNOWN_ID, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startApiWithSettings } from '../../harness/api-with-settings.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('The tier of a user', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let approvals: ApprovalSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { LIMITS_FILE: limitsFile(DIFFERENT_TIERS) } });
    steps = await withdrawalSteps(platform);
    approvals = await approvalSteps(platform);
  });
  afterAll(() => platform?.stop());

  const userOf = async (tier: 'standard' | 'premium'): Promise<TestUser> => {
    const user = await platform.given.user().withBalance('100000.00');
    if (tier !== 'standard') await changeTier(platform, approvals, user, tier);
    return user;
  };
  const limitsOf = async (user: TestUser, url?: string) => (await platform.as(user, url).get(LIMITS)).data;
  const putTier = (id: string, body: object, admin = steps.admin) =>
    platform.as(admin).put(`${ADMIN_USERS}/${id}/tier`, body);
  const REASON = { reason: 'Her company was verified' };

  describe('changed by PUT /api/admin/users/:id/tier', () => {
    it('applies after the approval of another admin, and is shown in list, detail and audit log [SEC-562]', async () => {
      const user = await userOf('standard');
      const requested = await putTier(user.id, { tier: 'premium', ...REASON });
      expect([requested.status, requested.data]).toMatchObject([
        202,
        {
          kind: 'user.tier-change',
          status: 'pending',
          reason: REASON.reason,
          change: { before: { tier: 'standard' }, after: { tier: 'premium' } },
        },
      ]);
      expect((await limitsOf(user)).tier.id).toBe('standard');
      expect((await approvals.approve(requested.data.id, steps.admin)).code).toBe('FOUR_EYES_REQUIRED');
      expect((await approvals.approve(requested.data.id)).data).toMatchObject({ status: 'approved' });
      const tier = { id: 'premium', name: 'Premium' };
      expect((await limitsOf(user)).tier).toEqual(tier);
      const admin = platform.as(steps.admin);
      expect((await admin.get(`${ADMIN_USERS}/${user.id}`)).data.tier).toEqual(tier);
      expect((await admin.get(`${ADMIN_USERS}?userId=${user.id}`)).data[0].tier).toEqual(tier);
      const { data } = await admin.get(`/api/admin/audit?subject=user:${user.id}&action=user.tier-change`);
      expect(data).toMatchObject([
        {
          admin: steps.admin.email,
          reason: REASON.reason,
          before: { tier: 'standard' },
          after: { tier: 'premium', approvedBy: approvals.second.email },
        },
      ]);
    });

    it('needs a known tier, a reason and a known user, and answers 200 if the user has the tier', async () => {
      const { id } = await platform.given.user();
      const unknown = await putTier(id, { tier: 'gold', ...REASON });
      expect([unknown.code, unknown.body.error.details]).toEqual([
        'VALIDATION_ERROR',
        { fields: [{ field: 'tier', message: 'must be one of standard, premium' }] },
      ]);
      expect((await putTier(id, REASON)).code).toBe('VALIDATION_ERROR');
      expect((await putTier(id, { tier: 'premium' })).code).toBe('REASON_REQUIRED');
      expect((await putTier(id, { tier: 'premium', reason: ' ' })).code).toBe('REASON_REQUIRED');
      expect((await putTier(UNKNOWN_ID, { tier: 'premium', ...REASON })).code).toBe('USER_NOT_FOUND');
      const same = await putTier(id, { tier: 'standard', ...REASON });
      expect([same.status, same.data]).toEqual([200, { id, tier: { id: 'standard', name: 'Standard' } }]);
    });

    it('is refused while another request is pending, and its approval fails if the tier has changed meanwhile', async () => {
      const user = await platform.given.user();
      const { data: pending } = await putTier(user.id, { tier: 'premium', ...REASON });
      expect((await putTier(user.id, { tier: 'premium', reason: 'Another' }, approvals.second)).code).toBe(
        'INVALID_STATE',
      );
      const oneAdmin = await startApiWithSettings(platform, { FOUR_EYES: 'off' });
      try {
        const admin = platform.as(steps.admin, oneAdmin.url);
        const changed = await admin.put(`${ADMIN_USERS}/${user.id}/tier`, { tier: 'premium', ...REASON });
        expect([changed.status, changed.data.tier.id]).toEqual([200, 'premium']);
      } finally {
        await oneAdmin.stop();
      }
      expect((await approvals.approve(pending.id)).data).toMatchObject({
        status: 'failed',
        failure: { code: 'INVALID_STATE' },
      });
      expect(await violatedWithoutPause(platform)).toEqual([]); // the audit log has the failed approval
    });
  });

  it('is one of those that GET /api/admin/tiers lists with their limits', async () => {
    const support = await platform.given.admin('support');
    const { data } = await platform.as(support).get('/api/admin/tiers');
    const [standard, premium] = DIFFERENT_TIERS;
    expect(data).toEqual([
      { ...standard, addressBook: 'optional' },
      { ...premium, withdrawal: { ...premium?.withdrawal, minimum: expect.any(String) } },
    ]);
  });

  describe('that somebody has changed in the database', () => {
    it('gives no user a higher limit, and an alert reports the row [SEC-563]', async () => {
      const owner = await tableOwner(platform);
      const user = await userOf('standard');
      for (const tier of ['premium', 'no-such-tier', null]) {
        await owner.sql('update platform_user set tier = $2 where id = $1', user.id, tier);
        // Of several tiers the strictest rules apply; one of them may be the address book of `premium`.
        expect(['WITHDRAWAL_LIMIT_EXCEEDED', 'ADDRESS_NOT_ALLOWED']).toContain(
          (await steps.request(user, '300.01')).code,
        );
        const [first] = (await limitsOf(user)).windows;
        expect(first).toEqual({ window: 'transaction', limit: '300.00', used: '0.00', left: '300.00' });
      }
      expect(await owner.alertsAbout('platform_user')).toHaveLength(1);
      await owner.sql(`update platform_user set tier = 'premium' where id = $1`, user.id);
      expect(await violatedWithoutPause(platform)).toContain('users');
      await owner.sql(`update platform_user set tier = 'standard' where id = $1`, user.id);
      expect(await violatedWithoutPause(platform)).not.toContain('users');
      // A forged record in place of a changed row has the same effect.
      await owner.sql(
        `insert into user_account_change (user_id, email, tier, changed_at) values ($1, $2, 'premium', now())`,
        user.id,
        user.email,
      );
      expect((await limitsOf(user)).windows[0]).toMatchObject({ window: 'transaction', limit: '300.00' });
      expect((await steps.request(user, '200.00')).code).toBe('ADDRESS_NOT_ALLOWED'); // of the other tier
      await owner.sql('delete from user_account_change where user_id = $1 and tier = $2', user.id, 'premium');
    });

    it('gives no user a higher limit if the record of the change was removed', async () => {
      const owner = await tableOwner(platform);
      const user = await userOf('premium');
      await owner.sql('delete from user_account_change where user_id = $1', user.id);
      // The strictest limits of the first tier, which the record would have, and of the user's.
      expect((await limitsOf(user)).windows[1]).toMatchObject({ window: 'day', limit: '500.00' });
      expect((await limitsOf(user)).withdrawals.addressBook).toBe('required');
    });
  });

  it('that LIMITS_FILE does not have any more has the strictest limits of all tiers, which an alert reports [SEC-564]', async () => {
    const user = await userOf('premium');
    const withoutPremium = [
      DIFFERENT_TIERS[0],
      { id: 'small', name: 'Small', withdrawal: { perDay: '90.00' }, addressBook: 'required' },
    ] as object[];
    const api = await startApiWithSettings(platform, { LIMITS_FILE: limitsFile(withoutPremium) });
    try {
      const { tier, windows, withdrawals } = await limitsOf(user, api.url);
      expect(tier).toEqual({ id: 'premium', name: null });
      expect(windows.map(({ window, limit }: Record<string, string>) => [window, limit])).toEqual([
        ['transaction', '300.00'],
        ['day', '90.00'],
        ['month', '1000.00'],
      ]);
      expect(withdrawals.addressBook).toBe('required');
      const openAlerts = async () => {
        const { data } = await platform.as(steps.admin).get('/api/admin/alerts?status=open&limit=100');
        return data.filter(({ kind }: { kind: string }) => kind === 'unknown-tier');
      };
      await eventually(async () => {
        const [alert] = await openAlerts();
        expect(alert).toMatchObject({ subject: { type: 'tier', id: 'premium' } });
      });
      await platform.runJob('unknown-tiers'); // a process whose file has the tier
      expect(await openAlerts()).toEqual([]);
    } finally {
      await api.stop();
    }
  });
});
