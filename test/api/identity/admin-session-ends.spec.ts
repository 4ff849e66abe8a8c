import { v7 } from 'uuid';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { RouteAudit } from '../../../src/http/auth/route-audit.js';
import {
  AdminDirectoryService,
  type Admin,
} from '../../../src/modules/identity/admins/admin-directory.service.js';
import { SessionsService } from '../../../src/modules/identity/auth/sessions.service.js';
import { TokensService } from '../../../src/modules/identity/auth/tokens.service.js';
import { ADMIN_PASSWORD, AdminSignIns, challengeOf } from '../../fixtures/admin-sign-ins.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { TotpApp } from '../../fixtures/step-ups.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { Browser } from '../../harness/browser.js';
import { LiveClient } from '../../harness/live-client.js';
import { queriesDuring } from '../../harness/queries.js';
import { refusalOf } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const VERIFY = '/api/admin/auth/verify';
/** What a session without a second factor can do: register one, see it, and end. */
const OPEN_ROUTES = [
  'GET /api/admin/auth/verify',
  'GET /api/admin/factors',
  'GET /api/admin/passkeys',
  'GET /api/auth/cookie/admin/verify',
  'POST /api/admin/auth/logout',
  'POST /api/admin/passkeys',
  'POST /api/admin/passkeys/options',
  'POST /api/admin/totp',
  'POST /api/admin/totp/confirm',
  'POST /api/auth/cookie/admin/logout',
  'POST /api/auth/logout',
];

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform({ settings: { ADMIN_SESSION_IDLE_MINUTES: '30' } });
});
afterAll(() => platform?.stop());

describe('With ADMIN_SECOND_FACTOR=required', () => {
  let url: string;
  let signIns: AdminSignIns;
  let limited: TestAdmin; // a session without a second factor
  beforeAll(async () => {
    url = await startReplica(platform, { ADMIN_SECOND_FACTOR: 'required' });
  });
  beforeEach(async () => {
    signIns = await AdminSignIns.of(platform, url);
    limited = await signIns.session(url);
  });

  it('a session without a second factor is refused by every route but those that register one [SEC-553]', async () => {
    const routes = platform.app
      .get(RouteAudit)
      .routes()
      .filter(({ rule }) => ['admin', 'any'].includes(rule?.access ?? ''))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !OPEN_ROUTES.includes(route));
    expect(routes.length).toBeGreaterThan(80);
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const reply = await platform.as(limited, url).call(method, path.replace(/:\w+/g, UNKNOWN_ID));
      expect([route, reply.status, reply.code]).toEqual([route, 403, 'SECOND_FACTOR_REQUIRED']);
    }
  });

  it('a cookie session without a second factor is refused by the other routes, too', async () => {
    const browser = new Browser(platform, url);
    await browser.signInAsAdmin(signIns.email, ADMIN_PASSWORD);
    expect((await browser.call('GET', '/api/auth/cookie/admin/verify')).status).toBe(200);
    const profile = await browser.call('GET', '/api/auth/cookie/admin/profile');
    expect([profile.status, profile.code]).toEqual([403, 'SECOND_FACTOR_REQUIRED']);
    expect((await browser.callAsPage('POST', '/api/admin/totp')).status).toBe(201);
  });

  it('a session without a second factor opens no live connection, neither by the token nor by a ticket [SEC-559]', async () => {
    const reply = await platform.as(limited, url).post('/api/admin/live/ticket');
    expect(reply.code).toBe('SECOND_FACTOR_REQUIRED');
    await expect(LiveClient.connect(url, { token: limited.token })).rejects.toThrow('403');
  });

  it('a session without a second factor can register one, and the next sign-in with it opens a full session', async () => {
    const app = await TotpApp.register(platform, limited, 'admin', url);
    expect(refusalOf(await platform.as(limited, url).get('/api/admin/profile'))).toEqual([
      'SECOND_FACTOR_REQUIRED',
      { id: null, methods: [], options: null, expiresAt: null },
    ]);
    const { id } = await signIns.challenge({ url });
    const { data } = await signIns.byPassword({ secondFactor: { id, code: app.nextCode() } }, { url });
    const full = { token: data.token as string };
    expect((await platform.as(full, url).get('/api/admin/profile')).status).toBe(200);
    const refreshed = await platform
      .as(full, url)
      .post('/api/admin/auth/refresh', { refreshToken: data.refreshToken });
    const profile = await platform.as({ token: refreshed.data.token }, url).get('/api/admin/profile');
    expect(profile.status).toBe(200);
  });

  it('a second factor of the identity provider opens a full session, which still needs a factor for a step-up', async () => {
    const replica = await startReplica(platform, {
      ADMIN_SECOND_FACTOR: 'required',
      IDP_ADMIN_ACR: ['mfa'],
    });
    const { data } = await signIns.byProvider({}, { claims: { acr: 'mfa' }, url: replica });
    const caller = platform.as({ token: data.token }, replica);
    expect((await caller.get('/api/admin/profile')).status).toBe(200);
    expect(refusalOf(await caller.post('/api/admin/proofs/continue', { reason: 'No' }))).toEqual([
      'STEP_UP_REQUIRED',
      { action: 'log.continue', methods: [] },
    ]);
  });

  it('a session from before the setting is limited, too, and a session of a user is not', async () => {
    const former = await signIns.session();
    expect((await platform.as(former, url).get('/api/admin/profile')).code).toBe('SECOND_FACTOR_REQUIRED');
    const user = await platform.given.user();
    expect((await platform.as(user, url).get('/api/user/profile')).status).toBe(200);
  });
});

describe('A session of an admin', () => {
  /** A session whose sign-in was `ageMs` ago: the service takes the time of the sign-in from the id of the family (UUID v7). */
  async function sessionOfAge(ageMs: number): Promise<TestAdmin> {
    const admin = platform.app.get(AdminDirectoryService).findAdminByEmail('admin2@example.com') as Admin;
    const family = {
      familyId: v7({ msecs: Date.now() - ageMs }),
      walletId: null,
      openedBy: 'password',
    } as const;
    const jti = v7();
    await platform.app
      .get(UnitOfWork)
      .runInTransaction(async (tx) =>
        platform.app.get(SessionsService).openSession(tx, jti, { type: 'admin', id: admin.id }, family),
      );
    const claims = { sub: admin.id, email: admin.email, jti };
    return {
      email: admin.email,
      token: await platform.app.get(TokensService).issueAccessToken('admin', claims),
    };
  }
  const setLastSeen = (email: string, ageMs: number) =>
    platform.dataSource.query(`update session set last_seen_at = $2 where subject_id = $1`, [
      platform.app.get(AdminDirectoryService).findAdminByEmail(email)?.id,
      new Date(Date.now() - ageMs),
    ]);

  it('ends ADMIN_SESSION_HOURS after its sign-in, although the token is newer [SEC-556]', async () => {
    const url = await startReplica(platform, { ADMIN_SESSION_HOURS: 12 });
    const ended = await sessionOfAge(12 * HOUR_MS);
    const open = await sessionOfAge(11 * HOUR_MS);
    expect((await platform.as(ended, url).get(VERIFY)).code).toBe('TOKEN_EXPIRED');
    const { data } = await platform.as(open, url).get(VERIFY);
    const leftMs = new Date(data.expiresAt).getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
    for (const session of [ended, open]) expect((await platform.as(session).get(VERIFY)).status).toBe(200);
  });

  it('is not prolonged by a refresh, and cannot be refreshed after its end', async () => {
    const url = await startReplica(platform, { ADMIN_SESSION_HOURS: 12 });
    const refresh = (token: string, refreshToken: string) =>
      platform.as({ token }, url).post('/api/admin/auth/refresh', { refreshToken });
    const endOf = async (caller: { token: string }) =>
      (await platform.as(caller, url).get(VERIFY)).data.expiresAt as string;
    const signIns = await AdminSignIns.of(platform, url);
    const { data } = await signIns.byPassword({}, { url });
    const refreshed = await refresh(data.token, data.refreshToken);
    expect(await endOf(refreshed.data)).toBe(await endOf(data));
    const { token } = await sessionOfAge(12 * HOUR_MS);
    expect((await refresh(token, 'any')).code).toBe('TOKEN_EXPIRED');
  });

  it('ends ADMIN_SESSION_IDLE_MINUTES after its last request', async () => {
    const signIns = await AdminSignIns.of(platform);
    const session = await signIns.session();
    await setLastSeen(signIns.email, 31 * MINUTE_MS);
    expect((await platform.as(session).get(VERIFY)).code).toBe('TOKEN_EXPIRED');
    await setLastSeen(signIns.email, 29 * MINUTE_MS); // as if another process had served it meanwhile
    expect((await platform.as(session).get(VERIFY)).status).toBe(200);
    await setLastSeen(signIns.email, 31 * MINUTE_MS); // stored before the last request, which this process has served
    expect((await platform.as(session).get(VERIFY)).status).toBe(200);
  });

  it('needs no statement per request, and a job stores the time of its last request', async () => {
    const signIns = await AdminSignIns.of(platform);
    const session = await signIns.session();
    expect((await platform.as(session).get(VERIFY)).status).toBe(200);
    const statements = await queriesDuring(async () => {
      for (let time = 0; time < 5; time++) await platform.as(session).get(VERIFY);
    });
    expect(statements.filter((text) => /\bsession\b/i.test(text))).toEqual([]);
    await setLastSeen(signIns.email, 40 * MINUTE_MS);
    await platform.runJob('session-activity');
    const replica = await startReplica(platform); // has served no request of the session
    expect((await platform.as(session, replica).get(VERIFY)).status).toBe(200);
  });

  it('does not end after its last request with ADMIN_SESSION_IDLE_MINUTES=0', async () => {
    const url = await startReplica(platform, { ADMIN_SESSION_IDLE_MINUTES: 0 });
    const signIns = await AdminSignIns.of(platform, url);
    const session = await signIns.session();
    await setLastSeen(signIns.email, 300 * MINUTE_MS);
    expect((await platform.as(session, url).get(VERIFY)).status).toBe(200);
  });
});

describe('An admin who adds a first second factor', () => {
  it('ends the other sessions with it', async () => {
    const signIns = await AdminSignIns.of(platform);
    const stolen = await signIns.session();
    await signIns.addTotp();
    expect((await platform.as(stolen).get(VERIFY)).code).toBe('TOKEN_INVALID');
    challengeOf(await signIns.byPassword());
  });
});
