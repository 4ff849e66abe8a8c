import { MINUTE_MS } from '../../../src/common/durations.js';
import type { Reply } from '../../harness/http-client.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { adminUserSteps, ADMIN_USERS, type AdminUserSteps } from '../../fixtures/admin-users.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';

const NOW = '2026-03-02T10:00:00.000Z';
const STATUSES = ['active', 'suspended', 'inactive'];

describe('PUT /api/admin/users/:id', () => {
  let platform: TestPlatform;
  let steps: AdminUserSteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await adminUserSteps(platform);
    ({ admin } = steps);
  });
  afterAll(() => platform?.stop());

  it('suspends a user: ends the access within a second, notifies the user and records the reason; suspensions can be undone [SEC-092]', async () => {
    const ann = await platform.given.user();
    await steps.requireAnswerWithinASecond(ann, 'welcome');
    const { data } = await steps.suspend(ann.id, { reason: ' Two accounts. ' });
    await steps.requireAnswerWithinASecond(ann, 'FORBIDDEN');
    const suspended = {
      status: 'suspended',
      reason: 'Two accounts.',
      changedAt: NOW,
      changedBy: admin.email,
    };
    expect(data).toEqual({
      id: ann.id,
      userId: ann.id,
      email: ann.email,
      status: 'suspended',
      updatedAt: NOW,
      updatedBy: admin.email,
      updatedProfile: {
        name: 'Test Person',
        preferences: {
          language: 'en',
          currency: 'USD',
          notifications: { email: true, push: true, emailAvailable: false },
          applied: ['notifications.push', 'language'],
        },
      },
      statusHistory: [suspended],
    });
    platform.clock.advance(MINUTE_MS);
    const { data: reactivated } = await steps.change(ann.id, { status: 'active' });
    await steps.requireAnswerWithinASecond(ann, 'TOKEN_INVALID'); // reactivation does not restore revoked tokens
    await steps.requireAnswerWithinASecond(await platform.given.user(ann.email), 'welcome');
    expect(reactivated.statusHistory).toEqual([
      { status: 'active', reason: null, changedAt: '2026-03-02T10:01:00.000Z', changedBy: admin.email },
      suspended,
    ]);
    platform.clock.moveTo(NOW);
    expect(await steps.securityNotifications(ann.id)).toEqual([
      { priority: 'critical', message: 'Your account has been suspended. Reason: Two accounts.' },
      { priority: 'critical', message: 'Your account is active again.' },
    ]);
    const [first] = await steps.auditEntries(ann.id);
    expect(first).toEqual({
      actor: admin.email,
      action: 'user.change',
      reason: 'Two accounts.',
      before: { email: ann.email, status: 'active' },
      after: { email: ann.email, status: 'suspended', notifyUser: true },
    });
  });

  it.each(STATUSES)(
    'changes the status from %s to each status, and records nothing when the status stays the same',
    async (from) => {
      for (const to of STATUSES) {
        const { data } = await platform
          .as(admin)
          .post(ADMIN_USERS, { email: `${from}-to-${to}@example.org`, status: from });
        const reply = await steps.change(data.id, { status: to, reason: 'Because' });
        expect(reply.data.status).toBe(to);
        const changes = from === to ? 0 : 1;
        expect(reply.data.statusHistory).toHaveLength(1 + changes); // one entry for the creation
        expect(await steps.securityNotifications(data.id)).toHaveLength(changes);
        expect(await steps.auditEntries(data.id)).toHaveLength(changes);
      }
    },
  );

  it('does not notify the user if notifyUser is false', async () => {
    const ann = await platform.given.user();
    await steps.suspend(ann.id, { notifyUser: false });
    expect(await steps.securityNotifications(ann.id)).toEqual([]);
  });

  it('changes the e-mail address, with which the user signs in from then on', async () => {
    const ann = await platform.given.user();
    const { data } = await steps.change(ann.id, { email: `New-${ann.email}` });
    expect(data).toMatchObject({ email: `new-${ann.email}`, status: 'active', statusHistory: [] });
    const detail = () => platform.as(admin).get(`${ADMIN_USERS}/${ann.id}`);
    expect((await detail()).data.emailVerified).toBe(false);
    expect((await platform.given.user(`new-${ann.email}`)).id).toBe(ann.id);
    expect((await detail()).data.emailVerified).toBe(true);
    expect((await platform.given.user(ann.email)).id).not.toBe(ann.id);
    expect(await steps.securityNotifications(ann.id)).toEqual([
      {
        priority: 'high',
        message: expect.stringContaining('The e-mail address of your account was changed.'),
      },
    ]);
    const [entry] = await steps.auditEntries(ann.id);
    expect(entry).toMatchObject({ before: { email: ann.email }, after: { email: `new-${ann.email}` } });
  });

  it('disables the webhooks when the e-mail address changes, and leaves those that their owner has disabled [SEC-191]', async () => {
    const ann = await platform.given.user();
    const createWebhook = async (path: string) => {
      const body = { url: `http://127.0.0.1:9/${path}`, events: ['deposit.completed'] };
      return (await platform.as(ann).post(WEBHOOKS, body)).data.id;
    };
    const [active, disabled] = [await createWebhook('active'), await createWebhook('disabled')];
    await platform.as(ann).put(`${WEBHOOKS}/${disabled}`, { status: 'disabled' });
    await steps.change(ann.id, { email: `new-${ann.email}` });
    const newOwner = platform.as(await platform.given.user(`new-${ann.email}`));
    expect((await newOwner.get(WEBHOOKS)).data).toMatchObject([
      { id: active, status: 'disabled', disabledReason: 'email-changed' },
      { id: disabled, status: 'disabled', disabledReason: 'user' },
    ]);
    const [entry] = await steps.auditEntries(ann.id);
    expect(entry.after).toMatchObject({ disabledWebhooks: [active] });
    expect((await newOwner.put(`${WEBHOOKS}/${active}`, { status: 'active' })).data.status).toBe('active');
  });

  it('rejects the e-mail address of another user or an admin and applies no other field of the request', async () => {
    const [ann, bob] = [await platform.given.user(), await platform.given.user()];
    for (const email of [bob.email.toUpperCase(), 'operator@example.com']) {
      const reply = await steps.change(ann.id, { email, status: 'inactive' });
      expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(reply.body.error.details.fields[0].field).toBe('email');
    }
    expect(await steps.auditEntries(ann.id)).toEqual([]);
    expect(await steps.profileAnswer(ann)).toBe('welcome');
  });

  it('records nothing for an empty request or values that are already set', async () => {
    const ann = await platform.given.user();
    for (const body of [{}, { email: ann.email }, { status: 'active', reason: 'Just so' }]) {
      const reply = await steps.change(ann.id, body);
      expect(reply).toMatchObject({ status: 200, data: { status: 'active', statusHistory: [] } });
    }
    expect(await steps.auditEntries(ann.id)).toEqual([]);
  });

  it('applies one of ten concurrent suspensions and keeps its reason', async () => {
    const ann = await platform.given.user();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => steps.suspend(ann.id, { reason: `Number ${n}` })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const reasons = new Set(replies.map(({ data }) => data.statusHistory[0].reason));
    expect(reasons.size).toBe(1);
    expect(await steps.auditEntries(ann.id)).toHaveLength(1);
    expect(await steps.securityNotifications(ann.id)).toHaveLength(1);
  });

  it('gives an e-mail address to one of two users when both are changed to it concurrently', async () => {
    const users = [await platform.given.user(), await platform.given.user()];
    const email = `both-${users[0]?.email}`;
    const replies = await Promise.all(users.map(({ id }) => steps.change(id, { email })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('rejects changes to admins and their removal, because ADMINS_FILE lists them [SEC-009]', async () => {
    const [row] = await steps.sql('select id from platform_user where email = $1', admin.email);
    for (const reply of [
      await steps.suspend(row.id),
      await steps.remove(row.id),
      await steps.remove(row.id, '?permanent=true'),
    ])
      expect(reply).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it.each([
    [{ status: 'deleted' }, 'INVALID_STATUS'],
    [{ status: null }, 'INVALID_STATUS'],
    [{ status: 'suspended' }, 'REASON_REQUIRED'],
    [{ status: 'suspended', reason: '  ' }, 'REASON_REQUIRED'],
    [{ status: 'suspended', reason: null }, 'REASON_REQUIRED'],
    [{ email: 'no-address' }, 'INVALID_EMAIL'],
    [{ reason: 'x'.repeat(501) }, 'VALIDATION_ERROR'],
    [{ notifyUser: 'no' }, 'VALIDATION_ERROR'],
    [{ id: UNKNOWN_ID }, 'VALIDATION_ERROR'],
  ])('rejects %j with %s', async (body, code) => {
    const { id } = await platform.given.user();
    expect(await steps.change(id, body)).toMatchObject({ status: 400, code });
  });

  it('answers 404 for an unknown user, as DELETE does', async () => {
    for (const id of [UNKNOWN_ID, 'not-a-uuid']) {
      for (const reply of [
        await steps.suspend(id),
        await steps.remove(id),
        await steps.remove(id, '?permanent=true'),
      ])
        expect(reply).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
    }
  });

  it('rejects writes by support, which may only read', async () => {
    const support = await platform.given.admin('support');
    const { id } = await platform.given.user();
    const replies: Reply[] = [
      await steps.change(id, { status: 'inactive' }, support),
      await platform.as(support).post(ADMIN_USERS, { email: 'new@example.org' }),
      await platform.as(support).delete(`${ADMIN_USERS}/${id}`),
    ];
    for (const reply of replies) expect(reply).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect((await platform.as(support).get(`${ADMIN_USERS}/${id}`)).status).toBe(200);
  });
});
