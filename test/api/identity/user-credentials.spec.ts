import { DAY_MS } from '../../../src/common/durations.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { signInFromDevice } from '../../fixtures/device-sign-ins.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { WEBHOOKS } from '../../fixtures/webhook-scenario.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const ADDRESSES = '/api/user/addresses';
const LISTS = ['sessions', 'sign-ins', 'api-keys', 'addresses', 'webhooks'] as const;

let platform: TestPlatform;
let admin: TestAdmin;
let support: TestAdmin;
let emails = 0;

beforeAll(async () => {
  platform = await startPlatform({ settings: { TRUST_PROXY: '127.0.0.1', ADDRESS_DELAY_HOURS: '24' } });
  admin = await platform.given.admin();
  support = await platform.given.admin('support');
});
afterAll(() => platform?.stop());

const newEmail = () => `credentials-${++emails}@example.org`;
const pathOf = (userId: string, rest: string) => `${ADMIN_USERS}/${userId}/${rest}`;
const listed = async (userId: string, list: (typeof LISTS)[number], by = support) => {
  const { status, data } = await platform.as(by).get(pathOf(userId, list));
  expect([list, status]).toEqual([list, 200]);
  return data;
};
const remove = (path: string, by = admin, reason?: string) =>
  platform.as(by).delete(path, reason === undefined ? undefined : { reason });
const auditOf = (userId: string, action: string) =>
  platform.dataSource.query(
    'select actor, reason, before, after from audit_entry where subject_id = $1 and action = $2 order by id',
    [userId, action],
  );
const newestSecurityNote = async (user: TestUser) =>
  (await platform.as(user).get('/api/user/notifications?type=security&limit=1')).data[0];
const addAddress = async (user: TestUser, label = 'Safe'): Promise<string> => {
  const { status, data } = await platform
    .as(user)
    .post(ADDRESSES, { label, address: DESTINATION, network: 'ERC20' });
  expect(status).toBe(201);
  return data.id;
};

describe('The lists of an account for admins', () => {
  it('show sessions, API keys, addresses and webhooks as their user sees them, without any secret [SEC-710]', async () => {
    const ann = await signInFromDevice(platform, 'Firefox', { email: newEmail() });
    const key = await givenKey(platform, ann, { name: 'Bot', networks: ['203.0.113.0/24'] });
    await addAddress(ann);
    const receiver = { url: 'http://127.0.0.1:9/hook', events: ['deposit.seen'] };
    const webhook = await platform.as(ann).post(WEBHOOKS, receiver);
    expect(webhook.status).toBe(201);

    for (const list of ['api-keys', 'addresses', 'webhooks'] as const) {
      const own = (await platform.as(ann).get(`/api/user/${list}`)).data;
      expect(own).toHaveLength(1);
      expect(await listed(ann.id, list)).toEqual(own);
    }
    const own = (await platform.as(ann).get('/api/user/sessions')).data;
    expect(own).toMatchObject([{ current: true, device: 'Firefox' }]);
    const seen = { ...own[0], lastSeenAt: expect.any(String), current: false };
    expect(await listed(ann.id, 'sessions')).toEqual([seen]);

    const stored: { secret: string }[] = await platform.dataSource.query(
      `select encode(key_hash, 'hex') as secret from api_key where user_id = $1
       union all select encode(seal, 'hex') from api_key where user_id = $1
       union all select encode(token_hash, 'hex') from refresh_token where subject_id = $2
       union all select encode(secret, 'hex') from webhook_subscription where user_id = $1`,
      [ann.id, ann.id], // as uuid, and as the text of `subject_id`
    );
    const secrets = [key.token, webhook.data.secret, ann.token, ann.refreshToken];
    for (const secret of [...secrets, ...stored.map((row) => row.secret)]) {
      expect(secret.length).toBeGreaterThan(20);
      for (const list of LISTS) expect(JSON.stringify(await listed(ann.id, list))).not.toContain(secret);
    }
  });

  it('are empty for an account that only an admin has created, and refused for an unknown one', async () => {
    const { data: created } = await platform.as(admin).post(ADMIN_USERS, { email: newEmail() });
    for (const list of LISTS) {
      expect(await listed(created.id, list)).toEqual([]);
      for (const id of [UNKNOWN_ID, '1'])
        expect(await platform.as(admin).get(pathOf(id, list))).toMatchObject({
          status: 404,
          code: 'USER_NOT_FOUND',
        });
    }
  });

  it('show the sign-in of a session that has ended, but not the session', async () => {
    const email = newEmail();
    const ann = await signInFromDevice(platform, 'Firefox', { email });
    expect((await remove(pathOf(ann.id, 'sessions'))).data).toEqual({ ended: 1 });
    expect(await listed(ann.id, 'sessions')).toEqual([]);
    expect(await listed(ann.id, 'sign-ins')).toMatchObject([{ device: 'Firefox' }]);
  });
});

describe('The sign-ins of a user', () => {
  it('are listed with time, method, device and address, the newest first', async () => {
    const email = newEmail();
    const ann = await signInFromDevice(platform, 'Firefox', { email, from: '203.0.113.7' });
    await signInFromDevice(platform, 'Safari', { email, from: '2001:db8::7', session: 'cookie' });
    const wallets = new WalletSteps(platform);
    const wallet = newWallet();
    await wallets.connect(ann, await wallets.signChallenge(wallet));
    expect((await wallets.login(await wallets.signChallenge(wallet))).status).toBe(200);
    await signInFromDevice(platform, 'Other', { email: newEmail() });

    const signIns = await listed(ann.id, 'sign-ins');
    const common = { id: expect.any(String), createdAt: expect.stringMatching(/Z$/) };
    expect(signIns).toEqual([
      { ...common, method: 'wallet', kind: 'bearer', device: expect.any(String), address: '127.0.0.1' },
      { ...common, method: 'identity-provider', kind: 'cookie', device: 'Safari', address: '2001:db8::7' },
      { ...common, method: 'identity-provider', kind: 'bearer', device: 'Firefox', address: '203.0.113.7' },
    ]);
    const sessions = (await listed(ann.id, 'sessions')).map(({ id }: { id: string }) => id);
    expect(sessions.sort()).toEqual(signIns.map(({ id }: { id: string }) => id).sort());
  });

  it('get no new entry by the refresh of a token', async () => {
    const ann = await signInFromDevice(platform, 'Firefox', { email: newEmail() });
    const before = await listed(ann.id, 'sign-ins');
    const { refreshToken } = ann;
    expect((await platform.as(null).post('/api/auth/refresh', { refreshToken })).status).toBe(200);
    expect(await listed(ann.id, 'sign-ins')).toEqual(before);
  });

  it('are deleted after 90 days, unless a token of theirs is still valid', async () => {
    const old = await signInFromDevice(platform, 'old', { email: newEmail() });
    const recent = await signInFromDevice(platform, 'recent', { email: newEmail() });
    const open = await signInFromDevice(platform, 'open', { email: newEmail() });
    const age = (user: { id: string }, days: number, isExpired: boolean) =>
      platform.dataSource.query(
        'update sign_in set created_at = $2, expires_at = case when $3 then $2 else expires_at end where user_id = $1',
        [user.id, new Date(Date.now() - days * DAY_MS), isExpired],
      );
    await age(old, 90.1, true);
    await age(recent, 89.9, true);
    await age(open, 200, false);
    await platform.runJob('expired-sessions');
    expect(await listed(old.id, 'sign-ins')).toEqual([]);
    for (const { id } of [recent, open]) expect(await listed(id, 'sign-ins')).toHaveLength(1);
    expect(await listed(recent.id, 'sessions')).toEqual([]);
  });

  it('are at most a hundred', async () => {
    const { id } = await signInFromDevice(platform, 'newest', { email: newEmail() });
    await platform.dataSource.query(
      `insert into sign_in (family_id, user_id, kind, device, created_at, last_seen_at, expires_at)
       select gen_random_uuid(), $1, 'bearer', 'earlier', now() - interval '1 day', now(), now()
         from generate_series(1, 120)`,
      [id],
    );
    const signIns = await listed(id, 'sign-ins');
    expect(signIns).toHaveLength(100);
    expect(signIns[0].device).toBe('newest');
    expect(signIns[1]).toMatchObject({ device: 'earlier', method: null, address: null });
  });
});

describe('An admin with users:write', () => {
  it('revokes an API key, and the user is notified [SEC-711]', async () => {
    const ann = await platform.given.user();
    const key = await givenKey(platform, ann, { name: 'Bot', scopes: ['balance:read'] });
    const path = pathOf(ann.id, `api-keys/${key.id}`);
    expect((await remove(path, support)).code).toBe('PERMISSION_DENIED');
    const bob = await platform.given.user();
    expect(await remove(pathOf(bob.id, `api-keys/${key.id}`))).toMatchObject({
      status: 404,
      code: 'API_KEY_NOT_FOUND',
    });
    expect((await platform.as(key).get('/api/user/balance')).status).toBe(200);

    const [own] = (await platform.as(ann).get(API_KEYS)).data;
    const reply = await remove(path, admin, ' She lost her laptop ');
    expect(reply).toMatchObject({ status: 200, data: { id: key.id, name: 'Bot', prefix: own.prefix } });
    expect((await platform.as(key).get('/api/user/balance')).code).toBe('TOKEN_INVALID');
    expect((await platform.as(ann).get(API_KEYS)).data).toEqual([]);
    await eventually(async () =>
      expect(await newestSecurityNote(ann)).toMatchObject({
        title: 'API key revoked',
        metadata: { event: 'api-key.revoked' },
      }),
    );
    const { id: keyId, prefix } = key;
    expect(await auditOf(ann.id, 'api-key.revoke')).toEqual([
      {
        actor: admin.email,
        reason: 'She lost her laptop',
        before: { keyId, name: 'Bot', prefix, scopes: ['balance:read'] },
        after: { keyId, revoked: true },
      },
    ]);
    expect((await remove(path)).code).toBe('API_KEY_NOT_FOUND');
    expect(await auditOf(bob.id, 'api-key.revoke')).toEqual([]);
  });

  it('removes an address from the address book, and the user is notified [SEC-804]', async () => {
    const ann = await platform.given.user();
    const addressId = await addAddress(ann);
    const path = pathOf(ann.id, `addresses/${addressId}`);
    expect((await remove(path, support)).code).toBe('PERMISSION_DENIED');
    const bob = await platform.given.user();
    expect((await remove(pathOf(bob.id, `addresses/${addressId}`))).code).toBe('ADDRESS_NOT_FOUND');
    const [own] = (await platform.as(ann).get(ADDRESSES)).data;
    expect(await remove(path)).toMatchObject({ status: 200, data: own });
    expect((await platform.as(ann).get(ADDRESSES)).data).toEqual([]);
    await eventually(async () =>
      expect(await newestSecurityNote(ann)).toMatchObject({
        title: 'Withdrawal address removed',
        metadata: { event: 'address.removed' },
      }),
    );
    expect(await auditOf(ann.id, 'address.remove')).toEqual([
      {
        actor: admin.email,
        reason: null,
        before: { addressId, label: 'Safe', address: DESTINATION, network: 'ERC20' },
        after: { addressId, removed: true },
      },
    ]);
    expect((await remove(path)).code).toBe('ADDRESS_NOT_FOUND');
  });

  it.each(['api-keys', 'addresses'])(
    'gets 404 for the removal of unknown %s, and 400 for a reason that is too long',
    async (list) => {
      const ann = await platform.given.user();
      const unknown = list === 'api-keys' ? 'API_KEY_NOT_FOUND' : 'ADDRESS_NOT_FOUND';
      for (const id of [UNKNOWN_ID, '1'])
        expect((await remove(pathOf(ann.id, `${list}/${id}`))).code).toBe(unknown);
      expect((await remove(pathOf(UNKNOWN_ID, `${list}/${UNKNOWN_ID}`))).code).toBe('USER_NOT_FOUND');
      const reply = await remove(pathOf(ann.id, `${list}/${UNKNOWN_ID}`), admin, 'x'.repeat(501));
      expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    },
  );
});

describe('An admin with users:read', () => {
  it('sees the history of the status in the account, the newest change first', async () => {
    const ann = await platform.given.user();
    const change = (body: object) => platform.as(admin).put(`${ADMIN_USERS}/${ann.id}`, body);
    await change({ status: 'suspended', reason: 'Under review' });
    await change({ status: 'active' });
    const { data } = await platform.as(support).get(`${ADMIN_USERS}/${ann.id}`);
    const by = { changedBy: admin.email, changedAt: expect.any(String) };
    expect(data.statusHistory).toEqual([
      { status: 'active', reason: null, ...by },
      { status: 'suspended', reason: 'Under review', ...by },
    ]);
  });
});
