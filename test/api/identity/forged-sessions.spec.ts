import { createHash, randomBytes } from 'node:crypto';
import { HOUR_MS } from '../../../src/common/durations.js';
import { newApiKey } from '../../../src/modules/identity/api-keys/domain/api-key.js';
import { API_KEYS, givenKey } from '../../fixtures/api-keys.js';
import type { TestUser } from '../../fixtures/given.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { tableOwner, type TableOwner } from '../../fixtures/table-owner.js';
import { refusedUpgrade } from '../../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('Somebody who can write the table', () => {
  let platform: TestPlatform;
  let owner: TableOwner;
  let live: LiveSteps;
  let ann: TestUser;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { TRUST_PROXY: '127.0.0.1' } });
    owner = await tableOwner(platform);
    live = liveSteps(platform);
    ann = await platform.given.user();
  });
  afterEach(() => live.endAll());
  afterAll(() => platform?.stop());

  const signIn = async (email: string) => {
    const jwt = await platform.outside.providers.identity.token({ email });
    return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data;
  };
  const refresh = (refreshToken: string) => platform.as(null).post('/api/auth/refresh', { refreshToken });
  const codeOf = async (caller: { token: string }, path = '/api/user/ping') =>
    (await platform.as(caller).get(path)).code;
  const familyOf = async ({ token }: { token: string }): Promise<string> => {
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    const [{ id }] = await owner.sql<[{ id: string }]>(
      'select family_id as id from session where id = $1',
      jti,
    );
    return id;
  };

  describe('session', () => {
    it('cannot open an ended session again, not even with a copy of its former row [SEC-400]', async () => {
      const pair = await signIn(ann.email);
      const other = await signIn(ann.email);
      const family = await familyOf(pair);
      const copies = await owner.copyRows('session', 'family_id = $1', family);
      expect((await platform.as(pair).post('/api/auth/logout')).status).toBe(200);
      await expect(
        owner.sql('update session set revoked_at = null where family_id = $1', family),
      ).rejects.toThrow('session_seal');
      // With the seal that the ended session has, and with the seal of another session.
      for (const seal of [
        'seal',
        `(select seal from session where family_id = '${await familyOf(other)}')`,
      ]) {
        await owner.sql(
          `update session set revoked_at = null, seal = coalesce(${seal}, '\\x00') where family_id = $1`,
          family,
        );
        expect(await codeOf(pair)).toBe('TOKEN_INVALID');
      }
      expect(await owner.alertsAbout('session')).toHaveLength(1);
      await owner.restoreRows('session', 'id', copies);
      expect(await codeOf(pair)).toBe('TOKEN_INVALID');
      expect(await codeOf(other)).toBeUndefined();
    });

    it('cannot lengthen a session or give it to somebody else [SEC-401]', async () => {
      const { id } = await platform.given.user();
      for (const change of [
        `expires_at = expires_at + interval '1 year'`,
        `subject_id = '${id}'`,
        `id = gen_random_uuid()`,
      ]) {
        const pair = await signIn(ann.email); // no process has read its row yet
        await owner.sql(`update session set ${change} where family_id = $1`, await familyOf(pair));
        expect([change, await codeOf(pair)]).toEqual([change, 'TOKEN_INVALID']);
      }
    });
  });

  describe('session or refresh_token', () => {
    it.each([
      ['session', `update session set revoked_at = now()`, 'id', 'update session set revoked_at = null'],
      ['session', `update session set seal = '\\x00'`, 'id', undefined],
      ['session', 'delete from session', 'id', undefined],
      ['refresh_token', `update refresh_token set seal = '\\x00'`, 'token_hash', undefined],
      ['refresh_token', 'delete from refresh_token', 'token_hash', undefined],
    ] as const)(
      'cannot keep a row of %s valid after its session has ended, by "%s" before and a copy of the row afterwards [SEC-470]',
      async (table, change, key, changeBack) => {
        const user = await platform.given.user();
        const stolen = await signIn(user.email);
        const family = await familyOf(stolen);
        const copies = await owner.copyRows(table, 'family_id = $1', family);
        await owner.sql(`${change} where family_id = $1`, family);
        expect((await platform.as(user).delete('/api/user/sessions')).status).toBe(200);
        if (changeBack)
          await expect(owner.sql(`${changeBack} where family_id = $1`, family)).rejects.toThrow('_seal');
        await owner.restoreRows(table, key, copies);
        expect([await codeOf(stolen), (await refresh(stolen.refreshToken)).code]).toEqual([
          'TOKEN_INVALID',
          expect.stringMatching(/REFRESH_TOKEN/),
        ]);
      },
    );
  });

  describe('refresh_token', () => {
    it.each([
      ['subject_id', (victim: string) => `subject_id = '${victim}'`],
      ['subject_type', () => `subject_type = 'admin'`],
      ['family_id', () => 'family_id = gen_random_uuid()'],
      ['expires_at', () => `expires_at = expires_at + interval '1 year'`],
      ['seal', () => `seal = '\\x00'`],
    ])('gains no session by changing %s [SEC-402]', async (_, change) => {
      const pair = await signIn(ann.email);
      const victim = await platform.given.user();
      await owner.sql(
        `update refresh_token set ${change(victim.id)} where family_id = $1`,
        await familyOf(pair),
      );
      expect((await refresh(pair.refreshToken)).code).toBe('INVALID_REFRESH_TOKEN');
      expect(await owner.alertsAbout('refresh_token')).toHaveLength(1);
    });

    it('cannot set a spent or revoked token back [SEC-403]', async () => {
      const pair = await signIn(ann.email);
      const family = await familyOf(pair);
      const copies = await owner.copyRows('refresh_token', 'family_id = $1', family);
      expect((await refresh(pair.refreshToken)).status).toBe(200);
      await owner.restoreRows('refresh_token', 'token_hash', copies);
      expect((await refresh(pair.refreshToken)).code).toBe('INVALID_REFRESH_TOKEN');
      await platform.as(pair).post('/api/auth/logout');
      await owner.restoreRows('refresh_token', 'token_hash', copies);
      expect((await refresh(pair.refreshToken)).code).toBe('INVALID_REFRESH_TOKEN');
    });

    it('gains no token by inserting one, or by prolonging the time in which a spent one is answered again [SEC-404]', async () => {
      const token = randomBytes(32).toString('base64url');
      await owner.sql(
        `insert into refresh_token (token_hash, family_id, subject_type, subject_id, created_at, expires_at, seal)
         select $1, family_id, subject_type, subject_id, created_at, expires_at, seal
           from refresh_token where subject_id = $2 limit 1`,
        sha256(token),
        ann.id,
      );
      expect((await refresh(token)).code).toBe('INVALID_REFRESH_TOKEN');
      const pair = await signIn(ann.email);
      expect((await refresh(pair.refreshToken)).status).toBe(200);
      await owner.sql(
        `update refresh_token set spent_at = spent_at + interval '1 hour' where successor is not null`,
      );
      expect((await refresh(pair.refreshToken)).code).toBe('INVALID_REFRESH_TOKEN');
    });
  });

  describe('api_key', () => {
    const networks = ['203.0.113.0/24'];

    it.each([
      ['scopes', `scopes = '{balance:read,withdrawals:write}'`],
      ['networks', 'networks = null'],
      ['user_id', `user_id = (select id from platform_user where email like 'victim-%' limit 1)`],
      ['expires_at', 'expires_at = null'],
      ['id', 'id = gen_random_uuid()'],
    ])('gains nothing by changing %s of a key [SEC-405]', async (_, change) => {
      const victim = await platform.given.user(`victim-${randomBytes(4).toString('hex')}@example.org`);
      const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
      const key = await givenKey(platform, ann, { scopes: ['balance:read'], networks, expiresAt });
      await owner.sql(`update api_key set ${change} where id = $1`, key.id);
      expect(await codeOf(key)).toBe('TOKEN_INVALID');
      expect(await owner.alertsAbout('api_key')).toHaveLength(1);
      await owner.sql('delete from api_key where user_id in ($1, $2)', ann.id, victim.id);
    });

    it('gains nothing by a key of their own, by exchanged seals, or by a copy of a revoked key [SEC-406]', async () => {
      const own = newApiKey();
      const wide = await givenKey(platform, ann);
      const bound = await givenKey(platform, ann, { networks });
      await owner.sql(
        `insert into api_key (id, user_id, key_hash, prefix, name, scopes, created_at, seal)
         select gen_random_uuid(), user_id, $1, prefix, name, scopes, created_at, seal from api_key where id = $2`,
        sha256(own),
        wide.id,
      );
      expect(await codeOf({ token: own })).toBe('TOKEN_INVALID');
      const copies = await owner.copyRows('api_key', 'id = $1', wide.id);
      await owner.sql(
        `update api_key set seal = other.seal from api_key as other
          where api_key.id in ($1, $2) and other.id in ($1, $2) and api_key.id <> other.id`,
        wide.id,
        bound.id,
      );
      expect(await codeOf(wide)).toBe('TOKEN_INVALID');
      await owner.restoreRows('api_key', 'id', copies);
      expect(await codeOf(wide)).toBeUndefined();
      expect((await platform.as(ann).delete(`${API_KEYS}/${wide.id}`)).status).toBe(200);
      await owner.restoreRows('api_key', 'id', copies);
      expect(await codeOf(wide)).toBe('TOKEN_INVALID');
    });
  });

  describe('live_ticket', () => {
    const redeem = (ticket: string, headers = {}) =>
      refusedUpgrade(`${platform.baseUrl}/api/live?ticket=${ticket}`, headers);

    it('receives no live events of an admin or of another user [SEC-407]', async () => {
      const changes = [
        `owner_type = 'admin', owner_id = (select subject_id from session where subject_type = 'admin' limit 1)`,
        `owner_id = '${(await platform.given.user()).id}'`,
        `expires_at = expires_at + interval '1 hour'`,
        'session_id = (select id from session where revoked_at is null limit 1)',
      ];
      for (const change of changes) {
        const ticket = await live.ticketOf(ann);
        await owner.sql(`update live_ticket set ${change} where ticket_hash is not null`);
        expect([change, (await redeem(ticket)).code]).toEqual([change, 'TOKEN_INVALID']);
      }
      expect(await owner.alertsAbout('live_ticket')).toHaveLength(1);
      const used = await live.ticketOf(ann);
      const copies = await owner.copyRows('live_ticket', 'owner_id = $1', ann.id);
      await live.connect({ ticket: used });
      await owner.restoreRows('live_ticket', 'ticket_hash', copies);
      expect((await redeem(used)).code).toBe('TOKEN_INVALID');
    });

    it('cannot use the ticket of an API key outside of the networks of the key [SEC-408]', async () => {
      const key = await givenKey(platform, ann, { networks: ['203.0.113.0/24'] });
      const from = (address: string) => ({ 'x-forwarded-for': address });
      const ticketOfKey = async () => {
        const reply = await platform
          .as(key)
          .post('/api/user/live/ticket', undefined, { headers: from('203.0.113.7') });
        return reply.data.ticket as string;
      };
      expect(await redeem(await ticketOfKey(), from('198.51.100.1'))).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
      const widened = await ticketOfKey();
      await owner.sql('update live_ticket set key_networks = null where key_id = $1', key.id);
      expect((await redeem(widened, from('198.51.100.1'))).code).toBe('TOKEN_INVALID');
      await live.connect({ ticket: await ticketOfKey(), headers: from('203.0.113.9') });
    });
  });
});
