import { randomBytes } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { Webhook } from 'standardwebhooks';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/sandbox-settings.js';
import { sign } from '../../../src/sandbox/signature.js';
import { withShiftedClock, AttackLog } from '../../verification/hostile-input/token-attacks.js';
import { TokenAttempts } from '../../verification/hostile-input/token-routes.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { freezeTime } from '../../harness/skip-time.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { recordGuarantee } from '../../harness/jest/guarantees.js';
import { depositBody } from '../../fixtures/provider-callbacks.js';

// Replay of expired and revoked tokens and of providers' callbacks, and clock differences.

let platform: TestPlatform;
const attempts = new TokenAttempts();

beforeAll(async () => {
  platform = await startPlatform({ settings: { FOUR_EYES: 'off', DEPOSIT_POLL_SECONDS: '3600' } });
});
afterAll(() => platform?.stop());

const config = () => platform.app.get(AppConfig);
const login = (token: string) => platform.as({ token }).post('/api/auth/idp/login');
const profile = (token: string) => platform.as({ token }).get('/api/auth/user/profile');
const idpToken = () => platform.outside.providers.identity.token({ email: 'ann@example.org' });

const tryAll = (tokens: Record<string, string>) => attempts.tryAll(platform, tokens);

describe('Expired and revoked tokens are rejected, however they are presented [SEC-016]', () => {
  afterAll(() => {
    attempts.requireNoneAccepted();
    recordGuarantee('G-30', attempts.figure());
  });

  describe('A token that was valid', () => {
    const signIn = async (email: string) =>
      (await login(await platform.outside.providers.identity.token({ email }))).data as {
        token: string;
        refreshToken: string;
      };
    const refresh = (refreshToken: string) => platform.as(null).post('/api/auth/refresh', { refreshToken });

    it('is rejected after logout, with all tokens of the same family [SEC-087]', async () => {
      const first = await signIn('logout@example.org');
      const second = (await refresh(first.refreshToken)).data;
      await platform.as(second).post('/api/auth/logout');
      await tryAll({ 'the first token': first.token, 'the second token': second.token });
      for (const token of [first.refreshToken, second.refreshToken])
        expect((await refresh(token)).code).toBe('REFRESH_TOKEN_REVOKED');
    });

    it('is rejected after a used refresh token was presented again [SEC-107]', async () => {
      const owner = await signIn('theft@example.org');
      const thief = (await refresh(owner.refreshToken)).data;
      // Reuse counts as theft ten seconds after the first use (DEC-14).
      await platform.dataSource.query(`update refresh_token set spent_at = spent_at - interval '11 seconds'`);
      expect((await refresh(owner.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
      expect((await refresh(thief.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
      await tryAll({ 'token of the thief': thief.token, 'token of the owner': owner.token });
    });

    it.each([
      ['suspended', { status: 'suspended', reason: 'Stolen' }],
      ['deactivated', { status: 'inactive' }],
    ])('is rejected while its user is %s, and also after reactivation [SEC-089]', async (status, change) => {
      const admin = platform.as(await platform.given.admin());
      const email = `${status}@example.org`;
      const { id } = await platform.given.user(email);
      const tokens = await signIn(email);
      await admin.put(`/api/admin/users/${id}`, change);
      await tryAll({ [status]: tokens.token });
      await admin.put(`/api/admin/users/${id}`, { status: 'active' });
      await tryAll({ [`${status}, then active again`]: tokens.token });
      expect((await refresh(tokens.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
      expect((await profile((await signIn(email)).token)).status).toBe(200);
    });

    it('is rejected if its user was suspended during its refresh, even after reactivation', async () => {
      const admin = platform.as(await platform.given.admin());
      for (let round = 0; round < 10; round++) {
        const email = `race-${round}@example.org`;
        const { id } = await platform.given.user(email);
        const tokens = await signIn(email);
        const [reply] = await Promise.all([
          refresh(tokens.refreshToken),
          admin.put(`/api/admin/users/${id}`, { status: 'suspended', reason: 'Stolen' }),
        ]);
        expect([200, 401, 403]).toContain(reply.status);
        await admin.put(`/api/admin/users/${id}`, { status: 'active' });
        await tryAll({ [`round ${round}`]: (reply.data?.token as string | undefined) ?? tokens.token });
      }
    });

    it('is rejected after the user’s e-mail address was changed [SEC-091]', async () => {
      const admin = platform.as(await platform.given.admin());
      const { id } = await platform.given.user('former@example.org');
      const tokens = await signIn('former@example.org');
      await admin.put(`/api/admin/users/${id}`, { email: 'present@example.org' });
      await tryAll({ 'the former address': tokens.token });
      expect((await refresh(tokens.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
      expect((await platform.given.user('former@example.org')).id).not.toBe(id);
      expect((await platform.given.user('present@example.org')).id).toBe(id);
    });

    it('loses permissions within a second after ADMINS_FILE takes a role away, despite its claims [SEC-097]', async () => {
      const admin = await platform.given.admin('admin2');
      expect(decodeJwt(admin.token)).toMatchObject({ permissions: ['*'] });
      const file = config().ADMINS_FILE;
      const before = readFileSync(file, 'utf8');
      const reduced = (JSON.parse(before) as { email: string }[]).map((entry) =>
        entry.email === admin.email ? { ...entry, roles: ['readonly'] } : entry,
      );
      writeFileSync(file, JSON.stringify(reduced));
      utimesSync(file, new Date(), new Date(Date.now() + 1000)); // the service notices a change by the file's time
      await oneSecondLater(async () =>
        expect((await platform.as(admin).get('/api/admin/users')).code).toBe('PERMISSION_DENIED'),
      );
      writeFileSync(file, before);
      utimesSync(file, new Date(), new Date(Date.now() + 2000));
      await oneSecondLater(async () =>
        expect((await platform.as(admin).get('/api/admin/users')).status).toBe(200),
      );
    });
  });

  describe('When the clock of the platform is shifted', () => {
    const HOURS_25 = 25 * HOUR_MS;

    it.each([
      ['6 minutes behind', 'accepted', -6 * MINUTE_MS],
      ['4 minutes behind', 'accepted', -4 * MINUTE_MS],
      ['4 minutes ahead', 'accepted', 4 * MINUTE_MS],
      ['6 minutes ahead', 'accepted', 6 * MINUTE_MS],
      ['a minute less than a day ahead', 'accepted', 24 * HOUR_MS - MINUTE_MS],
      ['a minute more than a day ahead', 'TOKEN_EXPIRED', 24 * HOUR_MS + MINUTE_MS],
      ['25 hours ahead', 'TOKEN_EXPIRED', HOURS_25],
    ])('(%s) a new access token of the platform gets the result %s [SEC-086]', async (_, result, shift) => {
      const { token } = await platform.given.user();
      expect(await withShiftedClock(shift, async () => (await profile(token)).code ?? 'accepted')).toBe(
        result,
      );
    });

    it.each([
      ['4 minutes ahead', 200, 4 * MINUTE_MS],
      ['6 minutes ahead', 401, 6 * MINUTE_MS],
      ['25 hours ahead', 401, HOURS_25],
    ])(
      '(%s) a token of the identity provider that is valid for five minutes gets the status %i [SEC-101]',
      async (_, status, shift) => {
        const jwt = await platform.outside.providers.identity.token({
          email: 'ann@example.org',
          expiresInSeconds: 300,
        });
        expect(await withShiftedClock(shift, async () => (await login(jwt)).status)).toBe(status);
      },
    );

    it('a refresh token is accepted one hour before the end of its seven days, and refused one hour after it [SEC-109]', async () => {
      const tokens = (await login(await idpToken())).data;
      const refreshAt = (shift: number) =>
        withShiftedClock(shift, () =>
          platform.as(null).post('/api/auth/refresh', { refreshToken: tokens.refreshToken }),
        );
      expect((await refreshAt(7 * 24 * HOUR_MS + HOUR_MS)).code).toBe('INVALID_REFRESH_TOKEN');
      expect((await refreshAt(7 * 24 * HOUR_MS - HOUR_MS)).status).toBe(200);
    });
  });
});

describe('A callback of a provider', () => {
  const YIELD = `/api/webhooks/${SANDBOX_SETTINGS.CUSTODY_PROVIDER_NAME}/yield`;
  const DEPOSIT = `/api/webhooks/${SANDBOX_SETTINGS.DEPOSIT_PROVIDER_NAME}/deposit`;
  const forgeries = new AttackLog();
  const BODY = JSON.stringify({
    type: 'yield.reported',
    data: { strategyId: 'balanced-10', date: '2026-03-01' },
  });

  const countStored = async () =>
    (await platform.dataSource.query('select count(*)::int as count from webhook_event'))[0].count as number;
  const signed = (secret: string, { id = 'msg_1', body = BODY, at = new Date() } = {}) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  });
  const postYield = (headers: Record<string, string>, body = BODY) =>
    platform.as(null).post(YIELD, body, { headers });

  async function forge(attack: string, path: string, headers: Record<string, string>, body: string) {
    const before = await countStored();
    const reply = await platform.as(null).post(path, body, { headers });
    forgeries.record(`${attack}: ${reply.status}`, reply.status < 400 || (await countStored()) !== before);
  }

  it('is rejected and not stored if it is forged or outdated: custody provider [SEC-035]', async () => {
    const { CUSTODY_WEBHOOK_SECRET: secret, DEPOSIT_PROVIDER_SECRET: otherProvidersSecret } = config();
    const valid = signed(secret);
    const usersSecret = `whsec_${randomBytes(32).toString('base64')}`; // the format of secrets for users' webhooks
    const signedLater = (minutes: number) =>
      signed(secret, { at: new Date(Date.now() + minutes * MINUTE_MS) });
    const signature = valid['webhook-signature'];
    const variants: [string, Record<string, string>, string?][] = [
      ['no headers', {}],
      ['no id', { ...valid, 'webhook-id': '' }],
      ['no time', { ...valid, 'webhook-timestamp': '' }],
      ['no signature', { ...valid, 'webhook-signature': '' }],
      ['garbage', { ...valid, 'webhook-signature': 'v1,garbage' }],
      ['no version', { ...valid, 'webhook-signature': signature.replace('v1,', '') }],
      ['another version', { ...valid, 'webhook-signature': signature.replace('v1,', 'v2,') }],
      ['half a signature', { ...valid, 'webhook-signature': signature.slice(0, 20) }],
      ['another id', { ...valid, 'webhook-id': 'msg_2' }],
      ['another time', { ...valid, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 1) }],
      ['an invalid time', { ...valid, 'webhook-timestamp': 'NaN' }],
      ['another body', valid, BODY.replace('balanced-10', 'aggressive-20')],
      ['one space more', valid, `${BODY} `],
      ['the other provider’s secret', signed(`whsec_${otherProvidersSecret}`)],
      ['a user’s secret', signed(usersSecret)],
      ['six minutes old', signedLater(-6)],
      ['six minutes early', signedLater(6)],
      ['25 hours old', signedLater(-25 * 60)],
    ];
    for (const [attack, headers, body] of variants) await forge(attack, YIELD, headers, body ?? BODY);
    forgeries.requireNoneSuccessful();
  });

  it('is rejected and not stored if it is forged or outdated: deposit provider [SEC-036]', async () => {
    const body = depositBody({ address: 'T' });
    const { DEPOSIT_PROVIDER_KEY: key, DEPOSIT_PROVIDER_SECRET, CUSTODY_WEBHOOK_SECRET } = config();
    const signedRequest = (secret: string, minutes = 0, recvWindow = '5000') => {
      const timestamp = String(Date.now() + minutes * MINUTE_MS);
      const request = { timestamp, recvWindow, method: 'POST', path: DEPOSIT, body };
      return {
        'X-Processing-Key': key,
        'X-Processing-Timestamp': timestamp,
        'X-Processing-RecvWindow': recvWindow,
        'X-Processing-Signature': sign(secret, request),
      };
    };
    const time = freezeTime(); // otherwise the signature would expire after five seconds
    const valid = signedRequest(DEPOSIT_PROVIDER_SECRET);
    const longWindow = '99999999'; // in milliseconds; the service shortens it to a minute
    const variants: [string, Record<string, string>, string?][] = [
      ['no headers', {}],
      ['garbage', { ...valid, 'X-Processing-Signature': 'garbage' }],
      ['an empty signature', { ...valid, 'X-Processing-Signature': '' }],
      ['another window than was signed', { ...valid, 'X-Processing-RecvWindow': '60000' }],
      ['another time', { ...valid, 'X-Processing-Timestamp': String(Date.now() + 1) }],
      ['another body', valid, body.replace('600', '6000')],
      ['the other provider’s secret', signedRequest(CUSTODY_WEBHOOK_SECRET.replace('whsec_', ''))],
    ];
    for (const minutes of [-25 * 60, -6, -4, 4, 6])
      variants.push([`${minutes} minutes`, signedRequest(DEPOSIT_PROVIDER_SECRET, minutes, longWindow)]);
    for (const [attack, headers, changedBody] of variants)
      await forge(attack, DEPOSIT, headers, changedBody ?? body);
    forgeries.requireNoneSuccessful();
    expect((await platform.as(null).post(DEPOSIT, body, { headers: valid })).status).toBe(200);
    time.resume();
  });

  it.each([-4, 4])(
    'is accepted with a clock difference of %i minutes, and its replay has no effect: custody provider',
    async (minutes) => {
      const { CUSTODY_WEBHOOK_SECRET: secret } = config();
      const id = `msg_clock_${minutes}`;
      const headers = signed(secret, { id, at: new Date(Date.now() + minutes * MINUTE_MS) });
      expect((await postYield(headers)).data).toEqual({ received: true, duplicate: false });
      const before = await countStored();
      expect((await postYield(headers)).data).toEqual({ received: true, duplicate: true });
      const changed = BODY.replace('balanced-10', 'aggressive-20'); // the provider reuses an id with a different body
      expect((await postYield(signed(secret, { id, body: changed }), changed)).data.duplicate).toBe(true);
      expect(await countStored()).toBe(before);
    },
  );

  afterAll(() =>
    recordGuarantee('G-21', `${forgeries.tried} forgeries, accepted ${forgeries.successful.length}`),
  );
});
