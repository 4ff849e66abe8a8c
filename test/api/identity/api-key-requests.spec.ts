import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app.setup.js';
import { HOUR_MS } from '../../../src/common/durations.js';
import { SystemClock } from '../../../src/common/clock.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { ApiKeyAuthenticationService } from '../../../src/modules/identity/api-keys/api-key-authentication.service.js';
import { newApiKey } from '../../../src/modules/identity/api-keys/domain/api-key.js';
import { API_KEYS, givenKey, mistyped } from '../../fixtures/api-keys.js';
import { DESTINATION, UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { changeSealed } from '../../fixtures/sealed-rows.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring, queriesDuring } from '../../harness/queries.js';
import { startReplica } from '../../harness/replica.js';
import { freezeTime } from '../../harness/skip-time.js';

const PING = '/api/user/ping';

let platform: TestPlatform;
let secondApp: NestExpressApplication; // with caches of its own, as a second process has
let secondUrl: string;

beforeAll(async () => {
  platform = await startPlatform({ settings: { ADDRESS_DELAY_HOURS: '24' } });
  secondApp = await createApp(loadConfig(platform.env), new SystemClock());
  await secondApp.listen(0, '127.0.0.1');
  secondUrl = await secondApp.getUrl();
  for (const app of [platform.app, secondApp])
    await eventually(async () => expect(app.get(PgNotifications).isCurrent).toBe(true));
});
afterAll(async () => {
  await secondApp?.close(); // undefined if the start failed
  await platform?.stop();
});

const ping = (key: { token: string }, at = platform.baseUrl) => platform.as(key, at).get(PING);
/** The error codes of both instances; undefined for a successful request. */
const codes = async (key: { token: string }) => [(await ping(key)).code, (await ping(key, secondUrl)).code];

describe('A request with an API key', () => {
  it('acts as the user of the key, and GET /api/auth/check shows when the key expires', async () => {
    const user = await platform.given.user().withBalance('12.00');
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
    const key = await givenKey(platform, user, { expiresAt });
    expect((await ping(key)).data).toEqual({ message: 'pong', userId: user.id });
    expect((await platform.as(key).get('/api/user/balance')).data).toMatchObject({ available: '12.00' });
    const check = (await platform.as(key).get('/api/auth/check')).data;
    expect(check).toMatchObject({ user: { id: user.id, email: user.email }, isAdmin: false, expiresAt });
    const unlimited = await givenKey(platform, user);
    expect((await platform.as(unlimited).get('/api/auth/check')).data.expiresAt).toBeNull();
  });

  it('is refused for a missing scope before its id and its body are validated [SEC-152]', async () => {
    const key = await givenKey(platform, await platform.given.user(), { scopes: ['balance:read'] });
    const as = platform.as(key);
    for (const [reply, required] of [
      [await as.get('/api/user/withdrawals/not-an-id'), 'withdrawals:read'],
      [await as.post('/api/user/withdrawals', '{"broken'), 'withdrawals:write'],
      [await as.delete(`/api/user/investments/${UNKNOWN_ID}`), 'investments:write'],
    ] as const) {
      expect(reply).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect(reply.body.error.details).toEqual({ required });
    }
    // No scope opens this route to keys.
    const withoutScope = await as.put('/api/user/notifications/not-an-id/read', '{"broken');
    expect([withoutScope.code, withoutScope.body.error.details]).toEqual(['PERMISSION_DENIED', undefined]);
    expect((await as.get('/api/admin/users/not-an-id')).code).toBe('ADMIN_REQUIRED');
    expect((await as.get('/api/admin/auth/verify')).code).toBe('ADMIN_REQUIRED');
  });

  it('is refused if the key is mistyped or forged, for a mistyped one without a database statement [SEC-154]', async () => {
    const key = await givenKey(platform, await platform.given.user());
    const statements = await queriesDuring(async () => {
      for (const token of [mistyped(key).token, 'sk_', `${key.token}A`, key.token.slice(0, -1), 'sk_a.b.c'])
        expect([token, (await ping({ token })).code]).toEqual([token, 'TOKEN_INVALID']);
      expect((await ping({ token: key.token.replace('sk_', 'SK_') })).code).toBe('TOKEN_INVALID');
      const headers = { authorization: key.token }; // without the word Bearer
      expect((await platform.as(null).get(PING, { headers })).code).toBe('TOKEN_INVALID');
    });
    expect(statements).toEqual([]);
    expect((await ping({ token: newApiKey() })).code).toBe('TOKEN_INVALID'); // forged, with a valid checksum
    expect((await platform.as({ token: mistyped(key).token }).get('/api/admin/users')).code).toBe(
      'TOKEN_INVALID',
    );
  });

  it('is answered by public routes as without the key, and refused by routes that need a cookie', async () => {
    const key = await givenKey(platform, await platform.given.user());
    for (const caller of [key, mistyped(key)]) {
      const as = platform.as(caller);
      const status = await as.get('/api/auth/status');
      expect([status.status, status.data]).toEqual([200, { authenticated: false, reason: 'no_token' }]);
      expect((await as.get('/api/deposits/status')).status).toBe(200);
      expect(await as.get('/api/auth/cookie/verify')).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
      expect((await as.get('/api/auth/cookie/admin/verify')).code).toBe('TOKEN_MISSING');
    }
    const check = await platform.as(null).post('/api/admin/auth/validate-token', { token: key.token });
    expect(check.data).toMatchObject({ valid: false, reason: 'invalid' });
  });

  it('cannot sign out its user', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    expect((await platform.as(key).post('/api/auth/logout')).code).toBe('PERMISSION_DENIED');
    expect((await ping(user)).status).toBe(200);
  });

  it('counts in the rate limit of its key, apart from the user and from other keys [SEC-335]', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_KEY: 2, RATE_LIMIT_USER: 50 });
    const user = await platform.given.user();
    const first = await givenKey(platform, user);
    const second = await givenKey(platform, user);
    const send = async (caller: { token: string }, path = PING) => {
      const { status, code, headers } = await platform.as(caller, url).get(path);
      return [status, code, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    expect(await send(first)).toEqual([200, undefined, '2', '1']);
    expect(await send(first, '/api/user/profile')).toEqual([403, 'PERMISSION_DENIED', '2', '0']);
    expect(await send(first)).toEqual([429, 'RATE_LIMIT_EXCEEDED', '2', '0']);
    expect(await send(second)).toEqual([200, undefined, '2', '1']);
    expect(await send(user)).toEqual([200, undefined, '50', '49']);
    expect(await send(mistyped(second))).toEqual([401, 'TOKEN_INVALID', '50', '49']); // counts for the client address
  });

  it('shares the limit of new deposit addresses with its user', async () => {
    const url = await startReplica(platform, { RATE_LIMIT_ADDRESS: 1 });
    const user = await platform.given.user();
    const path = '/api/user/deposits/address';
    const first = await platform.as(user, url).get(`${path}?currency=USDC&network=ERC20`);
    expect(first.status).toBe(200);
    const byKey = platform.as(await givenKey(platform, user), url);
    const existing = await byKey.get(`${path}?currency=USDC&network=ERC20`);
    expect(existing.data.address).toBe(first.data.address);
    expect((await byKey.get(`${path}?currency=USDT&network=TRC20`)).code).toBe('RATE_LIMIT_EXCEEDED');
  });

  it('needs no more statements than one with an access token, once both are cached', async () => {
    const user = await platform.given.user().withBalance('10.00');
    const key = await givenKey(platform, user);
    const statementsOf = (caller: { token: string }) =>
      fewestQueriesDuring(() => platform.as(caller).get('/api/user/balance'));
    expect(await statementsOf(key)).toEqual(await statementsOf(user));
  });
});

describe('An API key', () => {
  it('is refused at once by the process that has revoked it, and by every process within a second [SEC-155]', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    expect(await codes(key)).toEqual([undefined, undefined]);
    await platform.as(user).delete(`${API_KEYS}/${key.id}`);
    expect((await ping(key)).code).toBe('TOKEN_INVALID');
    await oneSecondLater(async () => expect(await codes(key)).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']));
  });

  it('is refused by every process while its user is suspended, and works again afterwards', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    const setStatus = (status: string) =>
      platform.dataSource.query('update platform_user set status = $2 where id = $1', [user.id, status]);
    expect(await codes(key)).toEqual([undefined, undefined]);
    await setStatus('suspended');
    await oneSecondLater(async () => expect(await codes(key)).toEqual(['FORBIDDEN', 'FORBIDDEN']));
    await setStatus('active');
    await oneSecondLater(async () => expect(await codes(key)).toEqual([undefined, undefined]));
  });

  it('is read from the database once, and again after the notifications were interrupted', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    const time = freezeTime(); // keeps the cache valid when the machine pauses
    await eventually(async () => expect(secondApp.get(PgNotifications).isCurrent).toBe(true));
    const first = await queriesDuring(() => ping(key, secondUrl));
    expect(first.some((text) => text.includes('from api_key'))).toBe(true);
    const later = await queriesDuring(async () => {
      for (let i = 0; i < 20; i++) await ping(key, secondUrl);
    });
    expect(later.filter((text) => text.includes('api_key'))).toEqual([]);
    time.resume();
    // Ends the connections of PgNotifications, so that the revocation is not notified.
    await platform.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like '%notices'`,
    );
    await platform.as(user).delete(`${API_KEYS}/${key.id}`);
    await oneSecondLater(async () => expect((await ping(key, secondUrl)).code).toBe('TOKEN_INVALID'));
  });

  it('is refused if it is revoked while a request with it waits for the database', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    let waiting: ReturnType<typeof ping> | undefined;
    await platform.dataSource.transaction(async (tx) => {
      await tx.query('lock table api_key in access exclusive mode');
      waiting = ping(key, secondUrl);
      await eventually(async () => {
        const waits = await platform.dataSource.query(LOCK_WAITS);
        expect(waits.some(({ query }: { query: string }) => query.includes('key_hash'))).toBe(true);
      });
      await tx.query('delete from api_key where id = $1', [key.id]);
    });
    expect((await waiting)?.code).toBe('TOKEN_INVALID');
    await eventually(async () => expect((await ping(key, secondUrl)).code).toBe('TOKEN_INVALID'));
  });

  it('is reported as ended to the module live once it is revoked or expired or its user is suspended', async () => {
    const ann = await platform.given.user();
    const eve = await platform.given.user();
    const good = await givenKey(platform, ann);
    const revoked = await givenKey(platform, ann);
    const expired = await givenKey(platform, ann);
    const suspended = await givenKey(platform, eve);
    const ids = [good, revoked, expired, suspended].map(({ id }) => id);
    const authentication = secondApp.get(ApiKeyAuthenticationService);
    expect(await authentication.listEndedKeys([...ids, UNKNOWN_ID])).toEqual([UNKNOWN_ID]);
    const notifiedIds: string[] = [];
    const notifications = secondApp.get(PgNotifications);
    notifications.subscribe('api-key', (id) => notifiedIds.push(id));
    await eventually(async () => expect(notifications.isCurrent).toBe(true)); // an earlier test ended its connection
    await platform.as(ann).delete(`${API_KEYS}/${revoked.id}`);
    await eventually(async () => expect(notifiedIds).toEqual([revoked.id]));
    await changeSealed(platform.dataSource, 'api_key', ['id', expired.id], () => ({ expiresAt: new Date() }));
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [eve.id]);
    const ended = [revoked.id, expired.id, suspended.id];
    expect((await authentication.listEndedKeys(ids)).sort()).toEqual(ended.sort());
  });

  it('carries the present e-mail address of its user', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    const emailOf = async () => (await platform.as(key, secondUrl).get('/api/auth/check')).data.user.email;
    expect(await emailOf()).toBe(user.email);
    const email = `new-${user.email}`;
    await platform.dataSource.query('update platform_user set email = $2 where id = $1', [user.id, email]);
    await oneSecondLater(async () => expect(await emailOf()).toBe(email));
  });
});

describe('A withdrawal by an API key', () => {
  const request = (caller: { token: string }, headers: Record<string, string> = {}) =>
    platform
      .as(caller)
      .post(
        '/api/user/withdrawals',
        { amount: '10.00', currency: 'USDC', toAddress: DESTINATION },
        { headers },
      );

  it('goes only to a usable address of the address book; the key can repeat and cancel the request [SEC-158]', async () => {
    const user = await platform.given.user().withBalance('100.00');
    const key = await givenKey(platform, user, { scopes: ['withdrawals:write'] });
    const refused = await request(key);
    expect(refused).toMatchObject({ status: 422, code: 'ADDRESS_NOT_ALLOWED' });
    expect(refused.body.error.details).toEqual({ usableFrom: null });

    const entry = { label: 'Safe', address: DESTINATION, network: 'ERC20' };
    expect((await platform.as(key).post('/api/user/addresses', entry)).code).toBe('PERMISSION_DENIED');
    const { data } = await platform.as(user).post('/api/user/addresses', entry);
    const early = await request(key);
    expect([early.code, early.body.error.details]).toEqual([
      'ADDRESS_NOT_ALLOWED',
      { usableFrom: data.usableFrom },
    ]);
    expect((await request(user)).status).toBe(201); // by default only API keys need the address book
    platform.clock.advance(24 * HOUR_MS); // ADDRESS_DELAY_HOURS
    const created = await request(key, { 'idempotency-key': 'by-key' });
    expect(created.status).toBe(201);
    expect((await request(key, { 'idempotency-key': 'by-key' })).data).toEqual(created.data);
    const cancelled = await platform.as(key).post(`/api/user/withdrawals/${created.data.id}/cancel`);
    expect(cancelled.data).toMatchObject({ status: 'rejected', cancelledByUser: true });
  });
});

describe('An expired API key', () => {
  it('is refused by every process with TOKEN_EXPIRED, and stays listed', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user, { expiresAt: new Date(Date.now() + 10_000).toISOString() });
    expect(await codes(key)).toEqual([undefined, undefined]);
    const time = freezeTime();
    time.advance(10_000);
    expect(await codes(key)).toEqual(['TOKEN_EXPIRED', 'TOKEN_EXPIRED']);
    time.resume();
    expect((await platform.as(user).get(API_KEYS)).data).toMatchObject([{ id: key.id }]);
  });
});
