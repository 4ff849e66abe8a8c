import { createHash } from 'node:crypto';
import { HOUR_MS } from '../../../src/common/durations.js';
import { API_KEY_SCOPES } from '../../../src/http/auth/api-key-scopes.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import type { TestUser } from '../../fixtures/given.js';
import { TABLES } from '../../fixtures/tables.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const MAX_KEYS = 20;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
});
afterAll(() => platform?.stop());

const create = (user: TestUser, body: unknown, headers: Record<string, string> = {}) =>
  platform.as(user).post(API_KEYS, body, { headers });
const list = async (user: TestUser) => (await platform.as(user).get(API_KEYS)).data;
const revoke = (user: { token: string }, id: string) => platform.as(user).delete(`${API_KEYS}/${id}`);
const ping = (caller: { token: string }) => platform.as(caller).get('/api/user/ping');
const newestNotification = async (user: TestUser) =>
  (await platform.as(user).get('/api/user/notifications?type=security')).data[0];
const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();

describe('API keys of a user', () => {
  it('are created with a name, scopes, an expiry and networks, listed without the key, and revoked', async () => {
    const user = await platform.given.user();
    const body = {
      name: 'Bookkeeping',
      scopes: ['balance:read', 'transactions:read'],
      expiresAt: inAnHour(),
      networks: ['203.0.113.0/24', '2001:db8::/32'],
    };
    const created = await create(user, body);
    const { key, ...shown } = created.data;
    expect([created.status, shown]).toEqual([
      201,
      {
        id: expect.any(String),
        ...body,
        prefix: key.slice(0, 11),
        createdAt: expect.any(String),
        lastUsedAt: null,
        lastUsedFrom: null,
      },
    ]);
    expect(key).toMatch(/^sk_[A-Za-z0-9_-]{49}$/);
    const checksum = createHash('sha256').update(key.slice(0, 46)).digest('base64url').slice(0, 6);
    expect(key.slice(46)).toBe(checksum);
    const { data: second } = await create(user, {
      name: 'ß 🔑',
      scopes: [...API_KEY_SCOPES],
      networks: null,
    });
    expect(second).toMatchObject({ expiresAt: null, networks: null, scopes: API_KEY_SCOPES, name: 'ß 🔑' });
    const { key: _, ...secondShown } = second;
    expect(await list(user)).toEqual([shown, secondShown]);

    const revoked = await revoke(user, shown.id);
    expect([revoked.status, revoked.data]).toEqual([200, shown]);
    expect(await list(user)).toEqual([secondShown]);
    expect(await revoke(user, shown.id)).toMatchObject({ status: 404, code: 'API_KEY_NOT_FOUND' });
  });

  it('belong to their user: keys of another user are neither listed nor revoked', async () => {
    const ann = await platform.given.user();
    const eve = await platform.given.user();
    const key = await givenKey(platform, ann);
    expect(await list(eve)).toEqual([]);
    for (const id of [key.id, UNKNOWN_ID, '1'])
      expect(await revoke(eve, id)).toMatchObject({ status: 404, code: 'API_KEY_NOT_FOUND' });
    expect((await ping(key)).data.userId).toBe(ann.id);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'two\nlines' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['any'] }],
    ['name', { name: 'Shop\u202e' }],
    ['scopes', { scopes: ['balance:write'] }],
    ['scopes', { scopes: ['balance:read', 'balance:read'] }],
    ['scopes', { scopes: 'balance:read' }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: new Date().toISOString() }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['networks', { networks: [] }],
    ['networks', { networks: ['203.0.113.7'] }],
    ['networks', { networks: ['203.0.113.0/33'] }],
    ['networks', { networks: Array.from({ length: 21 }, (_, i) => `10.0.${i}.0/24`) }],
    ['networks', { networks: '203.0.113.0/24' }],
    ['revoked', { revoked: true }],
  ])('are not created with an invalid %s: %j', async (field, change) => {
    const user = await platform.given.user();
    const reply = await create(user, { name: 'A key', scopes: ['balance:read'], ...change });
    expect(reply).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(reply.body.error.details.fields).toEqual([expect.objectContaining({ field })]);
    expect(await list(user)).toEqual([]);
  });

  it('have names of up to a hundred characters, and up to twenty networks', async () => {
    const user = await platform.given.user();
    const body = {
      name: '🔑'.repeat(100),
      scopes: ['balance:read'],
      networks: Array.from({ length: 20 }, (_, i) => `10.0.${i}.0/24`),
    };
    expect((await create(user, body)).data).toMatchObject(body);
  });

  it('are at most twenty per user, also when they are created concurrently', async () => {
    const user = await platform.given.user();
    const requests = Array.from({ length: MAX_KEYS + 5 }, (_, i) =>
      create(user, { name: `Key ${i}`, scopes: ['balance:read'] }),
    );
    const replies = await Promise.all(requests);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(Array(5).fill([422, 'LIMIT_REACHED']));
    expect(refused[0]?.body.error.details).toEqual({ limit: MAX_KEYS });
    const keys = await list(user);
    expect(keys).toHaveLength(MAX_KEYS);
    await revoke(user, keys[0].id);
    expect((await create(user, { name: 'One more', scopes: ['balance:read'] })).status).toBe(201);
  });

  it('are different for a repeated Idempotency-Key, because a stored response would contain the key', async () => {
    const user = await platform.given.user();
    const send = () =>
      create(user, { name: 'Same', scopes: ['balance:read'] }, { 'idempotency-key': 'same' });
    const first = await send();
    const second = await send();
    expect(second.headers.get('idempotency-replayed')).toBeNull();
    expect(second.data.key).not.toBe(first.data.key);
    expect(await list(user)).toHaveLength(2);
  });

  it('are stored as hashes: no table contains a key or a part of it beyond the prefix [SEC-153]', async () => {
    const user = await platform.given.user();
    const headers = { 'idempotency-key': 'to-be-ignored' };
    const { data } = await create(user, { name: 'Secret', scopes: ['balance:read'] }, headers);
    await ping({ token: data.key });
    await platform.runJob('api-key-uses');
    await revoke(user, data.id);
    const tablesWithKey: string[] = [];
    for (const name of Object.keys(TABLES)) {
      const rows = await platform.dataSource.query(
        `select 1 from ${name} as t where strpos(t::text, $1) > 0 limit 1`,
        [data.key.slice(11, 31)], // twenty characters after the prefix
      );
      if (rows.length > 0) tablesWithKey.push(name);
    }
    expect(tablesWithKey).toEqual([]);
  });

  it('are reported to the user when they are created and revoked', async () => {
    const user = await platform.given.user();
    const { id, prefix } = await givenKey(platform, user, { name: 'Tax office' });
    expect(await newestNotification(user)).toMatchObject({
      title: 'API key created',
      priority: 'high',
      category: 'account',
      message: `The API key "Tax office" (${prefix}…) was created. Revoke it if you did not create it.`,
      metadata: { event: 'api-key.created', prefix },
    });
    await revoke(user, id);
    expect(await newestNotification(user)).toMatchObject({
      title: 'API key revoked',
      priority: 'high',
      metadata: { event: 'api-key.revoked', prefix },
    });
  });

  it('cannot be created, listed or revoked by an API key', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    for (const reply of [
      await platform.as(key).post(API_KEYS, { name: 'Child', scopes: ['balance:read'] }),
      await platform.as(key).get(API_KEYS),
      await revoke(key, key.id),
    ]) {
      expect(reply).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(reply.body.error.details).toBeUndefined();
    }
  });

  it('are not created if the session is revoked while the request waits for the account', async () => {
    const user = await platform.given.user();
    let waiting: ReturnType<typeof create> | undefined;
    await platform.dataSource.transaction(async (tx) => {
      await tx.query('select 1 from platform_user where id = $1 for update', [user.id]);
      waiting = create(user, { name: 'Late', scopes: ['balance:read'] });
      await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).toHaveLength(1));
      await tx.query(`update session set revoked_at = now() where subject_id = $1`, [user.id]);
    });
    expect(await waiting).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });

  it('are revoked when an admin changes the e-mail address, so that its former owner keeps no access', async () => {
    const user = await platform.given.user();
    const keys = [await givenKey(platform, user), await givenKey(platform, user)];
    const admin = platform.as(await platform.given.admin());
    const path = `${ADMIN_USERS}/${user.id}`;
    expect((await admin.put(path, { status: 'active', reason: 'No change' })).status).toBe(200);
    for (const key of keys) expect((await ping(key)).status).toBe(200);

    const email = `new-${user.email}`;
    expect((await admin.put(path, { email })).status).toBe(200);
    for (const key of keys) expect((await ping(key)).code).toBe('TOKEN_INVALID');
    const owner = await platform.given.user(email);
    expect(owner.id).toBe(user.id);
    expect(await list(owner)).toEqual([]);
    const notifications = (await platform.as(owner).get('/api/user/notifications?type=security')).data;
    const revoked = notifications.filter(({ title }: { title: string }) => title === 'API key revoked');
    expect(revoked).toHaveLength(2);
    const [entry] = (await admin.get(`/api/admin/audit?subjectId=${user.id}&action=user.change`)).data;
    expect(entry.after.revokedApiKeys.sort()).toEqual(keys.map(({ prefix }) => prefix).sort());
  });

  it('share the rate limit with deleted keys, also with those that an admin has deleted, so that a new key gives no further requests [SEC-419]', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_KEY: 3, RATE_LIMIT_USER: 50 });
    const admin = platform.as(await platform.given.admin(), url); // without Redis each process counts by itself
    const user = await platform.given.user();
    const createKey = async () => {
      const body = { name: 'A key', scopes: ['balance:read'] };
      const { data } = await platform.as(user, url).post(API_KEYS, body);
      return { id: data.id as string, token: data.key as string };
    };
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const key = await createKey();
      for (let request = 0; request < 2; request++)
        statuses.push((await platform.as(key, url).get('/api/user/ping')).status);
      const deleted =
        i === 0
          ? await admin.delete(`/api/admin/users/${user.id}/api-keys/${key.id}`, { reason: 'a stolen key' })
          : await platform.as(user, url).delete(`${API_KEYS}/${key.id}`);
      expect(deleted.status).toBe(200);
    }
    expect(statuses).toEqual([200, 200, 200, ...new Array<number>(5).fill(429)]);
  });

  it('share the rate limit with keys that a change of the e-mail address has revoked [SEC-813]', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_KEY: 3, RATE_LIMIT_USER: 50 });
    const user = await platform.given.user();
    const useNewKey = async (owner: { token: string }): Promise<number> => {
      const { data } = await platform.as(owner, url).post(API_KEYS, { name: 'A', scopes: ['balance:read'] });
      return (await platform.as({ token: data.key }, url).get('/api/user/ping')).status;
    };
    for (let key = 0; key < 3; key++) expect(await useNewKey(user)).toBe(200);
    const email = `new-${user.email}`;
    const admin = platform.as(await platform.given.admin(), url);
    expect((await admin.put(`${ADMIN_USERS}/${user.id}`, { email })).status).toBe(200);
    expect(await useNewKey(await platform.given.user(email))).toBe(429);
  });

  it('survive a sign-out, and are deleted with their user', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    await ping(key);
    await platform.runJob('api-key-uses');
    expect((await platform.as(user).post('/api/auth/logout')).status).toBe(200);
    expect((await ping(key)).status).toBe(200);

    const admin = await platform.given.admin();
    const removed = await platform.as(admin).delete(`${ADMIN_USERS}/${user.id}?permanent=true`);
    expect(removed.status).toBe(200);
    await eventually(async () => expect((await ping(key)).code).toBe('TOKEN_INVALID'));
    const rows = await platform.dataSource.query('select 1 from api_key_use where key_id = $1', [key.id]);
    expect(rows).toEqual([]);
  });
});
