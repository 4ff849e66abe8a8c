import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app.setup.js';
import { SystemClock } from '../../../src/common/clock.js';
import { loadConfig } from '../../../src/config/app-config.js';
import { PgNotifications } from '../../../src/database/pg-notifications.js';
import { newWallet, WalletSteps } from '../../fixtures/wallets.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { Browser } from '../../harness/browser.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { eventually } from '../../harness/eventually.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const SESSIONS = '/api/user/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

interface Session {
  token: string;
  refreshToken: string;
}
interface ListedSession {
  id: string;
  current: boolean;
  lastSeenAt: string;
}

let platform: TestPlatform;
let secondApi: NestExpressApplication;
let secondUrl: string;
let emails = 0;

beforeAll(async () => {
  platform = await startPlatform();
  secondApi = await startSecondApi();
  secondUrl = await secondApi.getUrl();
  for (const app of [platform.app, secondApi])
    await eventually(async () => expect(app.get(PgNotifications).isCurrent).toBe(true));
});
afterAll(async () => {
  await secondApi?.close();
  await platform?.stop();
});

async function startSecondApi(): Promise<NestExpressApplication> {
  const app = await createApp(loadConfig(platform.env), new SystemClock());
  await app.listen(0, '127.0.0.1');
  return app;
}

const newEmail = () => `session-${++emails}@example.org`;
const sql = (text: string, ...parameters: unknown[]) => platform.dataSource.query(text, parameters);
const requireLockWaits = async (count: number) => expect(await sql(LOCK_WAITS)).toHaveLength(count);

async function signIn(email: string, userAgent = FIREFOX): Promise<Session & { id: string }> {
  const jwt = await platform.outside.providers.identity.token({ email });
  const headers = { authorization: `Bearer ${jwt}`, 'user-agent': userAgent };
  const { status, data } = await platform.as(null).post('/api/auth/idp/login', {}, { headers });
  expect(status).toBe(200);
  return { id: data.user.id, token: data.token, refreshToken: data.refreshToken };
}
const listed = async (user: { token: string }, url?: string): Promise<ListedSession[]> =>
  (await platform.as(user, url).get(SESSIONS)).data;
const currentOf = async (user: { token: string }, url?: string) =>
  (await listed(user, url)).find(({ current }) => current) as ListedSession;
const endSession = (user: { token: string }, id: string) => platform.as(user).delete(`${SESSIONS}/${id}`);
const endOthers = (user: { token: string }) => platform.as(user).delete(SESSIONS);
const refresh = ({ refreshToken }: Session) => platform.as(null).post('/api/auth/refresh', { refreshToken });
const check = async (user: { token: string }, url?: string) => {
  const { status, code } = await platform.as(user, url).get('/api/auth/check');
  return code ?? status;
};

/** Requires that neither token of a session is valid in any process. */
async function requireEnded(session: Session): Promise<void> {
  expect(await check(session)).toBe('TOKEN_INVALID');
  await oneSecondLater(async () => expect(await check(session, secondUrl)).toBe('TOKEN_INVALID'));
  expect((await refresh(session)).code).toBe('REFRESH_TOKEN_REVOKED');
}

describe('The list of sessions', () => {
  it('has one entry per sign-in, with kind and device, the current one first and then the newest', async () => {
    const email = newEmail();
    const first = await signIn(email);
    const browser = new Browser(platform);
    await browser.signIn(email);
    const last = await signIn(email, 'x'.repeat(300));
    const times = {
      createdAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
      id: expect.any(String),
    };
    const own = { ...times, kind: 'bearer', device: FIREFOX, current: true };
    const long = { ...times, kind: 'bearer', device: 'x'.repeat(120), current: false }; // shortened
    const cookie = { ...times, kind: 'cookie', device: expect.any(String), current: false };
    expect(await listed(first)).toEqual([own, long, cookie]);
    const seenByBrowser = (await browser.callAsPage('GET', SESSIONS)).data;
    expect(seenByBrowser.map(({ kind }: { kind: string }) => kind)).toEqual(['cookie', 'bearer', 'bearer']);
    expect(seenByBrowser[0].current).toBe(true);
    expect((await listed(last)).map(({ current }) => current)).toEqual([true, false, false]);
  });

  it('has an empty device for a sign-in without the header User-Agent', async () => {
    const user = await signIn(newEmail(), '');
    expect(await listed(user)).toMatchObject([{ device: '' }]);
  });

  it('has the sign-ins by wallet, of the kinds bearer and cookie', async () => {
    const steps = new WalletSteps(platform);
    const { user, wallet } = await steps.userWithWallet();
    const session = (await steps.login(await steps.signChallenge(wallet))).data as Session;
    await steps.login({ ...(await steps.signChallenge(wallet)), session: 'cookie' });
    const registered = await steps.register(newEmail(), await steps.signChallenge(newWallet()));
    expect(await listed(session)).toMatchObject([
      { kind: 'bearer', current: true },
      { kind: 'cookie', current: false },
      { kind: 'bearer', current: false },
    ]);
    expect(await listed(user)).toHaveLength(3);
    expect(await listed(registered.data)).toMatchObject([{ kind: 'bearer', current: true }]);
  });

  it('keeps an entry when its token is refreshed', async () => {
    const user = await signIn(newEmail());
    const [before] = await listed(user);
    const renewed = (await refresh(user)).data;
    const entries = await listed(renewed);
    expect(entries).toEqual([{ ...before, lastSeenAt: expect.any(String) }]);
  });

  it('has a session until its refresh token expires, and a cookie session until its access token expires', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const idle = await signIn(email, 'idle');
    await new Browser(platform).signIn(email);
    expect(await listed(user)).toHaveLength(3);
    const expireAllButFirefox = (table: string) =>
      sql(
        `update ${table} set expires_at = now() - interval '1 second' where subject_id = $1
           and family_id <> (select family_id from sign_in where user_id = $1::uuid and device = $2)`,
        user.id,
        FIREFOX,
      );
    await expireAllButFirefox('session');
    expect(await listed(user)).toMatchObject([{ current: true }, { device: 'idle' }]);
    expect((await refresh(idle)).status).toBe(200);
    await expireAllButFirefox('session');
    await expireAllButFirefox('refresh_token');
    expect(await listed(user)).toMatchObject([{ current: true }]);
  });
});

describe('A session', () => {
  it('that is ended by its id loses all its tokens in every process [SEC-151]', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const lost = await signIn(email, 'lost phone');
    const renewed = (await refresh(lost)).data as Session;
    for (const session of [user, lost, renewed]) expect(await check(session, secondUrl)).toBe(200);
    const entry = (await listed(user)).find(({ current }) => !current) as ListedSession;
    const reply = await endSession(user, entry.id);
    expect([reply.status, reply.data]).toEqual([200, entry]);
    await requireEnded(renewed);
    await requireEnded(lost);
    expect(await listed(user)).toMatchObject([{ current: true }]);
    expect(await check(user, secondUrl)).toBe(200);
    const again = await endSession(user, entry.id);
    expect([again.status, again.code]).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  it('can end itself', async () => {
    const user = await signIn(newEmail());
    const entry = await currentOf(user);
    expect((await endSession(user, entry.id)).data).toMatchObject({ id: entry.id, current: true });
    await requireEnded(user);
  });

  it('of a browser can be ended, and its requests need the csrfToken', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const browser = new Browser(platform);
    await browser.signIn(email);
    const own = await currentOf(user);
    expect((await browser.call('DELETE', `${SESSIONS}/${own.id}`)).code).toBe('CSRF_INVALID');
    const cookie = (await listed(user)).find(({ current }) => !current) as ListedSession;
    expect((await endSession(user, cookie.id)).status).toBe(200);
    expect((await browser.call('GET', '/api/auth/cookie/verify')).code).toBe('TOKEN_INVALID');
  });

  it('of another user is not found', async () => {
    const user = await signIn(newEmail());
    const victim = await signIn(newEmail());
    const { id } = await currentOf(victim);
    expect((await endSession(user, id)).code).toBe('SESSION_NOT_FOUND');
    expect(await check(victim)).toBe(200);
  });

  it('is ended by one of two concurrent requests', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const lost = await signIn(email, 'lost');
    const { id } = await currentOf(lost);
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('session-family:' || $1, 0))`, [id]);
    const replies = [endSession(user, id), endSession(user, id)];
    await eventually(() => requireLockWaits(2));
    await holder.commitTransaction();
    await holder.release();
    const codes = (await Promise.all(replies)).map(({ code, status }) => code ?? status);
    expect(codes).toEqual(expect.arrayContaining([200, 'SESSION_NOT_FOUND']));
  });
});

describe('Ending all other sessions', () => {
  it('keeps the current one and answers how many ended', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const phone = await signIn(email, 'phone');
    const tablet = await signIn(email, 'tablet');
    const stranger = await signIn(newEmail());
    const renewed = (await refresh(user)).data as Session;
    expect((await endOthers(renewed)).data).toEqual({ ended: 2 });
    for (const session of [phone, tablet]) await requireEnded(session);
    expect(await listed(renewed)).toMatchObject([{ current: true }]);
    for (const session of [user, renewed, stranger]) expect(await check(session)).toBe(200);
    expect((await refresh(renewed)).status).toBe(200);
    expect((await endOthers(renewed)).data).toEqual({ ended: 0 });
  });

  it('leaves one session if two end each other at once', async () => {
    const email = newEmail();
    const pair = [await signIn(email, 'one'), await signIn(email, 'two')];
    const holder = await lockUser(pair[0]?.id as string);
    const replies = pair.map((session) => endOthers(session));
    await eventually(() => requireLockWaits(2));
    await holder.release();
    const codes = (await Promise.all(replies)).map(({ code, status }) => code ?? status);
    expect(codes).toEqual(expect.arrayContaining([200, 'TOKEN_INVALID']));
    const open = await sql(
      `select distinct family_id from session where subject_id = $1 and revoked_at is null`,
      pair[0]?.id,
    );
    expect(open).toHaveLength(1);
  });

  it('ends a session whose refresh is concurrent', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const lost = await signIn(email, 'lost');
    const holder = await lockUser(user.id);
    const ended = endOthers(user);
    await eventually(() => requireLockWaits(1));
    const refreshed = refresh(lost);
    await eventually(() => requireLockWaits(2));
    await holder.release();
    expect((await ended).status).toBe(200);
    const { data } = await refreshed; // in either order no token stays valid
    await requireEnded(lost);
    if (data?.refreshToken) await requireEnded(data as Session);
  });

  async function lockUser(id: string): Promise<{ release: () => Promise<void> }> {
    const holder = platform.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from platform_user where id = $1 for update', [id]);
    return {
      release: async () => {
        await holder.rollbackTransaction();
        await holder.release();
      },
    };
  }
});

describe('An admin', () => {
  it('ends all sessions of a user, with an audit entry', async () => {
    const email = newEmail();
    const user = await signIn(email);
    const phone = await signIn(email, 'phone');
    const stranger = await signIn(newEmail());
    const admin = await platform.given.admin();
    const reply = await platform.as(admin).delete(`/api/admin/users/${user.id}/sessions`);
    expect([reply.status, reply.data]).toEqual([200, { ended: 2 }]);
    for (const session of [user, phone]) await requireEnded(session);
    expect(await check(stranger)).toBe(200);
    const audit = `/api/admin/audit?subjectId=${user.id}&action=user.end-sessions`;
    expect((await platform.as(admin).get(audit)).data).toMatchObject([
      { admin: admin.email, after: { ended: 2 } },
    ]);
    const unknown = await platform.as(admin).delete(`/api/admin/users/${UNKNOWN_ID}/sessions`);
    expect(unknown.code).toBe('USER_NOT_FOUND');
    expect(await check(await signIn(email))).toBe(200);
  });
});
