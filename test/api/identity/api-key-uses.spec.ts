import { ApiKeyUses } from '../../../src/http/auth/api-key-uses.js';
import type { UserPrincipal } from '../../../src/http/auth/principal.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { newApiKey } from '../../../src/modules/identity/api-keys/domain/api-key.js';
import { API_KEYS, givenKey, mistyped, type CreatedKey } from '../../fixtures/api-keys.js';
import type { TestUser } from '../../fixtures/given.js';
import { LONGER_THAN_COLLAPSING_MS } from '../../fixtures/notifications.js';
import { eventually } from '../../harness/eventually.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { queriesDuring } from '../../harness/queries.js';
import { startReplica, startReplicaWithoutPort } from '../../harness/replica.js';
import { freezeTime } from '../../harness/skip-time.js';

let platform: TestPlatform;
let secondUrl: string; // of a second instance, which collects and stores uses by itself

beforeAll(async () => {
  platform = await startPlatform({ mail: true, settings: { TRUST_PROXY: '127.0.0.1' } });
  secondUrl = await startReplica(platform, {});
});
afterAll(() => platform?.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const ping = (key: { token: string }, at = platform.baseUrl, extra = {}) =>
  platform.as(key, at).get('/api/user/ping', extra);
const listedKey = async (user: TestUser, { id }: CreatedKey) =>
  (await platform.as(user).get(API_KEYS)).data.find((key: { id: string }) => key.id === id);
const storeUses = () => platform.runJob('api-key-uses');
/** Records a permitted request with the key, without sending it. */
const useFrom = ({ id }: TestUser, key: CreatedKey, address: string) =>
  platform.app
    .get(ApiKeyUses)
    .recordUse({ type: 'user', id, apiKey: { id: key.id, scopes: [] } } as unknown as UserPrincipal, address);
/** The addresses in the notifications about new networks, oldest first. */
const notifiedAddresses = async (user: TestUser): Promise<string[]> =>
  (await platform.as(user).get('/api/user/notifications?type=security&orderBy=asc')).data
    .filter(({ title }: { title: string }) => title === 'API key used from a new network address')
    .map(({ metadata }: { metadata: { address: string } }) => metadata.address);

describe('An API key', () => {
  it('works only from its networks [SEC-156]', async () => {
    const user = await platform.given.user();
    const networks = ['203.0.113.0/24', '2001:db8:1::/48'];
    const key = await givenKey(platform, user, { networks });
    const codeFrom = async (address: string) => (await ping(key, platform.baseUrl, from(address))).code;
    expect(await codeFrom('203.0.113.7')).toBeUndefined();
    expect(await codeFrom('::ffff:203.0.113.8')).toBeUndefined();
    expect(await codeFrom('2001:DB8:1::5')).toBeUndefined();
    for (const address of ['203.0.114.7', '2001:db8:2::5', '::ffff:198.51.100.1', 'unknown'])
      expect([address, await codeFrom(address)]).toEqual([address, 'FORBIDDEN']);
    const reply = await ping(key, platform.baseUrl, from('198.51.100.9'));
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([
      403,
      expect.not.stringContaining('203.0.113'),
    ]);
  });

  it('is not repeated by the response to a refused request, wherever the request contains it', async () => {
    const user = await platform.given.user().withBalance('50.00');
    const key = await givenKey(platform, user);
    const revoked = await givenKey(platform, user);
    await platform.as(user).delete(`${API_KEYS}/${revoked.id}`);
    for (const { token } of [key, mistyped(key), revoked, { token: newApiKey() }]) {
      const as = platform.as({ token });
      const withdrawal = { amount: token, currency: token, toAddress: token };
      const replies = [
        await as.get('/api/user/profile'),
        await as.get(`/api/user/withdrawals/${token}`),
        await as.get(`/api/user/transactions?type=${token}&${token}=1`),
        await as.get(`/api/${token}`),
        await as.post('/api/user/withdrawals', withdrawal, { headers: { 'idempotency-key': token } }),
        await platform.as(user).post(API_KEYS, { name: token, scopes: [token], [token]: token }),
        await platform.as(null).post('/api/auth/refresh', { refreshToken: token }),
      ];
      for (const { status, body } of replies) {
        expect(status).toBeGreaterThanOrEqual(400);
        expect(JSON.stringify(body)).not.toContain(token);
      }
    }
  });

  it('shows its latest use, and reports the first one from each network [SEC-157]', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user, { name: 'Shop' });
    await storeUses();
    expect(await listedKey(user, key)).toMatchObject({ lastUsedAt: null, lastUsedFrom: null });
    const before = Date.now();
    await ping(key, platform.baseUrl, from('203.0.113.7'));
    await eventually(async () => expect((await listedKey(user, key)).lastUsedAt).not.toBeNull(), 5000);
    const used = await listedKey(user, key);
    expect(used.lastUsedFrom).toBe('203.0.113.7');
    expect(Date.parse(used.lastUsedAt)).toBeGreaterThanOrEqual(before);

    for (const address of ['203.0.113.7', '2001:db8::1', '2001:db8::2', '::ffff:203.0.113.7'])
      await ping(key, platform.baseUrl, from(address));
    await storeUses();
    // Both IPv6 addresses are in one network: the notification names the address of the latest use.
    expect(await notifiedAddresses(user)).toEqual(['203.0.113.7', '2001:db8::2']);
    platform.clock.advance(LONGER_THAN_COLLAPSING_MS);
    // The second instance has stored no use from this network, but the user is not notified again.
    await ping(key, secondUrl, from('203.0.113.7'));
    await ping(key, secondUrl, from('198.51.100.1'));
    await eventually(async () => expect((await listedKey(user, key)).lastUsedFrom).toBe('198.51.100.1'));
    expect(await notifiedAddresses(user)).toEqual(['203.0.113.7', '2001:db8::2', '198.51.100.1']);
    const [note] = (await platform.as(user).get('/api/user/notifications?type=security')).data;
    expect(note).toMatchObject({ priority: 'high', message: expect.stringContaining('"Shop"') });
    expect(note.message).toContain('198.51.100.1');
  });

  it('is reported from a new network although other keys are used from 20,000 networks at once [SEC-382]', async () => {
    const attackers = await Promise.all(Array.from({ length: 2 }, () => platform.given.user()));
    const keys = await Promise.all(attackers.map((attacker) => givenKey(platform, attacker)));
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    for (let number = 0; number < 20_000; number++) {
      const attackerKey = keys[number % 2] as CreatedKey;
      useFrom(attackers[number % 2] as TestUser, attackerKey, `2001:db8:${number.toString(16)}::1`);
    }
    await ping(key, platform.baseUrl, from('203.0.113.7'));
    await storeUses();
    expect(await notifiedAddresses(user)).toEqual(['203.0.113.7']);
  });

  it('is reported and mailed when it is used from 300 networks at once, and again from each network afterwards [SEC-383]', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    for (let number = 0; number < 300; number++)
      useFrom(user, key, `198.51.${Math.floor(number / 200)}.${number % 200}`);
    await storeUses();
    await platform.caughtUp();
    const many = 'more than ten networks within a second';
    const reported = async (): Promise<string[]> => {
      const rows = await platform.dataSource.query<{ address: string }[]>(
        `select data ->> 'address' as address from domain_event
          where user_id = $1 and type = 'api-key.used-from-new-network' order by number`,
        [user.id],
      );
      return rows.map(({ address }) => address);
    };
    const atOnce = await reported();
    expect(atOnce).toContain(many);
    expect(atOnce.length).toBeGreaterThan(10);
    // The first report has a notification and a mail of its own; all others are in one notification and one mail.
    const others = atOnce.length - 1;
    const notifications = await platform.dataSource.query<{ repeats: number | null }[]>(
      `select repeats from notification where user_id = $1 and kind = 'api-key.used-from-new-network' order by id`,
      [user.id],
    );
    expect(notifications.map(({ repeats }) => repeats)).toEqual([null, others]);
    const mails = await platform.dataSource.query<{ repeats: number | null; listed: number }[]>(
      `select repeats, jsonb_array_length(further_details) as listed from mail
        where user_id = $1 and kind = 'api-key.used-from-new-network' order by id`,
      [user.id],
    );
    expect(mails).toEqual([
      { repeats: null, listed: 0 },
      { repeats: others, listed: others - 1 }, // `details` has the first of the others, `further_details` the rest
    ]);
    await ping(key, platform.baseUrl, from('203.0.113.8'));
    await storeUses();
    expect((await reported()).at(-1)).toBe('203.0.113.8');
  });

  it('does not show refused requests as uses', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user, { scopes: ['balance:read'], networks: ['203.0.113.0/24'] });
    const replica = await startReplicaWithoutPort(platform, { RATE_LIMIT_KEY: 1 });
    await replica.listen(0, '127.0.0.1');
    const limitedUrl = await replica.getUrl();
    const allowed = from('203.0.113.7');
    // Refused: an unlisted network, a route without a scope, a scope that the key lacks, a route for admins.
    expect((await ping(key, platform.baseUrl, from('198.51.100.1'))).status).toBe(403);
    expect((await platform.as(key).get('/api/user/profile', allowed)).status).toBe(403);
    expect((await platform.as(key).get('/api/user/transactions', allowed)).status).toBe(403);
    expect((await platform.as(key).get('/api/admin/users', allowed)).status).toBe(403);
    // The first of these requests uses up the rate limit of the key.
    expect((await platform.as(key, limitedUrl).get('/api/user/profile', allowed)).status).toBe(403);
    expect((await ping(key, limitedUrl, allowed)).status).toBe(429);
    const headers = { ...allowed.headers, authorization: `Bearer ${key.token}` };
    expect((await refusedUpgrade(`${limitedUrl}/api/live`, headers)).status).toBe(429);
    await storeUses();
    await replica.get(Jobs).get('api-key-uses').runOnce();
    expect(await listedKey(user, key)).toMatchObject({ lastUsedAt: null, lastUsedFrom: null });
    expect(await notifiedAddresses(user)).toEqual([]);
  });

  it('has its uses from a known network stored at most every thirty seconds, whatever the number of requests', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    await ping(key);
    await storeUses();
    const { lastUsedAt } = await listedKey(user, key);
    const time = freezeTime();
    const statements = await queriesDuring(async () => {
      for (let i = 0; i < 5; i++) await ping(key);
      await storeUses();
    });
    expect(statements.filter((text) => text.includes('api_key'))).toEqual([]);
    expect((await listedKey(user, key)).lastUsedAt).toBe(lastUsedAt);
    time.advance(30_000);
    await storeUses();
    expect(Date.parse((await listedKey(user, key)).lastUsedAt)).toBeGreaterThan(Date.parse(lastUsedAt));
    time.resume();
  });

  it('shows a use that could not be stored after the next attempt to store it', async () => {
    const user = await platform.given.user();
    const key = await givenKey(platform, user);
    await platform.dataSource.query('alter table api_key_use rename to api_key_use_away');
    await ping(key);
    await expect(storeUses()).rejects.toThrow();
    await platform.dataSource.query('alter table api_key_use_away rename to api_key_use');
    await storeUses();
    expect((await listedKey(user, key)).lastUsedAt).not.toBeNull();
  });
});
