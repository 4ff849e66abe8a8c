import { decodeJwt } from 'jose';
import { Browser } from '../../harness/browser.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const PASSWORD = 'sandbox-password';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform?.stop());

async function signedIn(email = `cookie-${crypto.randomUUID()}@example.org`): Promise<Browser> {
  const browser = new Browser(platform);
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
}

async function signedInAdmin(email = 'admin@example.com'): Promise<Browser> {
  const browser = new Browser(platform);
  expect((await browser.signInAsAdmin(email, PASSWORD)).status).toBe(200);
  return browser;
}

describe('A sign-in', () => {
  it('with session: "cookie" sets the token in a cookie that scripts cannot read, and returns a csrfToken [SEC-062]', async () => {
    const browser = new Browser(platform);
    const reply = await browser.signIn('cookie@example.org');
    expect(Object.keys(reply.data).sort()).toEqual(['csrfToken', 'expiresIn', 'isAdmin', 'session', 'user']);
    expect(reply.data).toMatchObject({ expiresIn: 86400, user: { email: 'cookie@example.org' } });
    const [cookie = '', ...others] = browser.setCookies;
    expect(others).toEqual([]);
    const [pair, ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^session=eyJ/);
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires=')).sort()).toEqual(
      ['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Strict'], // no Secure: over plain HTTP browsers reject such a cookie
    );
    expect(JSON.stringify(reply.body)).not.toContain(browser.cookie('session'));
  });

  it('with session: "cookie" sets a __Host- cookie with Secure in production [SEC-061]', async () => {
    const production = await startReplica(platform, { NODE_ENV: 'production' });
    const browser = new Browser(platform, production);
    await browser.signIn('secure@example.org');
    expect(browser.setCookies[0]).toMatch(/^__Host-session=eyJ/);
    expect(browser.setCookies[0]?.split('; ')).toEqual(
      expect.arrayContaining(['Secure', 'HttpOnly', 'Path=/', 'SameSite=Strict']),
    );
    expect(browser.setCookies[0]).not.toContain('Domain');
    expect((await browser.call('GET', '/api/auth/cookie/verify')).data.valid).toBe(true);
    // In production a cookie without the prefix is ignored, because another subdomain could have set it.
    const withoutPrefix = new Browser(platform, production);
    withoutPrefix.setCookie('session', browser.cookie('__Host-session') as string);
    expect((await withoutPrefix.call('GET', '/api/auth/cookie/verify')).code).toBe('TOKEN_MISSING');
    await browser.callAsPage('POST', '/api/auth/cookie/logout');
    expect(browser.cookie('__Host-session')).toBeUndefined();
  });

  it('with session: "cookie" sets the admin cookie for an admin', async () => {
    const browser = new Browser(platform);
    const reply = await browser.signIn('admin@example.com');
    expect(reply.data).toMatchObject({ isAdmin: true, adminPermissions: ['*'] });
    expect(decodeJwt(browser.cookie('admin-session') as string)).toMatchObject({ type: 'admin' });
    expect(browser.cookie('session')).toBeUndefined();
  });

  it.each([undefined, 'bearer', null])('with session: %j sets no cookie', async (session) => {
    const jwt = await platform.outside.providers.identity.token({ email: 'bearer@example.org' });
    const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login', { session });
    expect(reply.data).toMatchObject({ token: expect.any(String), refreshToken: expect.any(String) });
    expect(reply.data).not.toHaveProperty('csrfToken');
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  it('with an unknown kind of session is refused: 400 VALIDATION_ERROR', async () => {
    const jwt = await platform.outside.providers.identity.token({ email: 'bearer@example.org' });
    const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login', { session: 'local-storage' });
    expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe("A user's cookie session", () => {
  it('is verified, shows its profile, and ends by logout [SEC-124]', async () => {
    const browser = await signedIn('mirror@example.org');
    const verified = await browser.call('GET', '/api/auth/cookie/verify');
    expect(verified.data).toMatchObject({
      valid: true,
      user: { email: 'mirror@example.org' },
      csrfToken: browser.csrfToken, // a reloaded page reads it here
    });
    const seconds = (Date.parse(verified.data.expiresAt) - Date.parse(verified.data.issuedAt)) / 1000;
    expect(seconds).toBe(86400);
    const profile = await browser.call('GET', '/api/auth/cookie/profile');
    expect(profile.data).toMatchObject({ email: 'mirror@example.org', status: 'active' });

    const token = browser.cookie('session') as string;
    expect((await browser.callAsPage('POST', '/api/auth/cookie/logout')).data).toEqual({
      message: 'Logged out successfully',
    });
    expect(browser.cookie('session')).toBeUndefined();
    expect((await browser.call('GET', '/api/auth/cookie/verify')).code).toBe('TOKEN_MISSING');
    const restored = new Browser(platform);
    restored.setCookie('session', token);
    expect((await restored.call('GET', '/api/auth/cookie/verify')).code).toBe('TOKEN_INVALID');
  });

  it.each([
    ['GET', '/api/user/balance'],
    ['PUT', '/api/user/notifications/mark-all-read'],
    ['GET', '/api/auth/check'],
    ['POST', '/api/auth/logout'],
  ])('is accepted by %s %s only with its own csrfToken', async (method, path) => {
    const browser = await signedIn();
    const otherBrowser = await signedIn();
    const callWith = async (headers?: Record<string, string>) => {
      const reply = await browser.call(method, path, undefined, headers);
      return [reply.status, reply.code];
    };
    expect(await callWith()).toEqual([403, 'CSRF_INVALID']);
    for (const wrong of [
      '',
      'guess',
      `${browser.csrfToken}x`,
      browser.csrfToken?.slice(0, -1),
      otherBrowser.csrfToken,
    ])
      expect(await callWith({ 'x-csrf-token': wrong as string })).toEqual([403, 'CSRF_INVALID']);
    const reply = await browser.callAsPage(method, path);
    expect(['CSRF_INVALID', 'TOKEN_MISSING', 'TOKEN_INVALID']).not.toContain(reply.code);
    expect([200, 400]).toContain(reply.status); // 400: there is no notification to mark
  });

  it('does not end without the csrfToken', async () => {
    const browser = await signedIn();
    const reply = await browser.call('POST', '/api/auth/cookie/logout');
    expect([reply.status, reply.code]).toEqual([403, 'CSRF_INVALID']);
    expect((await browser.call('GET', '/api/auth/cookie/verify')).status).toBe(200);
  });

  it('is reported as not authenticated by the status route without the csrfToken', async () => {
    const browser = await signedIn('status@example.org');
    expect((await browser.call('GET', '/api/auth/status')).data).toEqual({
      authenticated: false,
      reason: 'no_token',
    });
    expect((await browser.callAsPage('GET', '/api/auth/status')).data).toMatchObject({
      authenticated: true,
      user: { email: 'status@example.org' },
    });
  });

  it('is ignored if there is an Authorization header, valid or not', async () => {
    const [browser, user] = [await signedIn('cookie-owner@example.org'), await platform.given.user()];
    const check = (token: string) =>
      browser.call('GET', '/api/auth/check', undefined, {
        authorization: `Bearer ${token}`,
        'x-csrf-token': browser.csrfToken as string,
      });
    expect((await check(user.token)).data.user.email).toBe(user.email);
    expect((await check('nonsense')).code).toBe('TOKEN_INVALID');
  });

  it('is required by the cookie routes, which accept no bearer token', async () => {
    const user = await platform.given.user();
    for (const path of ['verify', 'profile', 'admin/verify', 'admin/profile'])
      expect((await platform.as(user).get(`/api/auth/cookie/${path}`)).code).toBe('TOKEN_MISSING');
    const admin = await platform.given.admin();
    for (const path of ['logout', 'admin/logout'])
      expect((await platform.as(admin).post(`/api/auth/cookie/${path}`)).code).toBe('TOKEN_MISSING');
    expect((await platform.as(user).get('/api/auth/check')).status).toBe(200); // the token itself is valid
  });

  it('is found among other cookies', async () => {
    const browser = await signedIn();
    const token = browser.cookie('session') as string;
    const headers = { cookie: `theme=dark; xsession=no; session-id=1;session=${token}; last="a;b"` };
    expect((await platform.as(null).get('/api/auth/cookie/verify', { headers })).status).toBe(200);
    for (const cookie of ['', 'session', 'session=', 'session=x', `Session=${token}`])
      expect((await platform.as(null).get('/api/auth/cookie/verify', { headers: { cookie } })).status).toBe(
        401,
      );
  });

  it('is not accessible to other origins, and the sign-in route rejects forms [SEC-066]', async () => {
    const browser = await signedIn();
    const origin = { origin: 'https://evil.example.com' };
    const read = await browser.call('GET', '/api/auth/cookie/verify', undefined, origin);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await sendRequest(`${platform.baseUrl}/api/user/balance`, {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    // A page of another site can send a form without a preflight request.
    const form = await browser.call('POST', '/api/auth/cookie/admin/login', 'email=a&password=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
  });

  it('ends within a second after its user is suspended', async () => {
    const browser = await signedIn('suspended@example.org');
    expect((await browser.call('GET', '/api/auth/cookie/verify')).status).toBe(200);
    await platform.dataSource.query(
      `update platform_user set status = 'suspended' where email = 'suspended@example.org'`,
    );
    await oneSecondLater(async () => {
      const reply = await browser.callAsPage('GET', '/api/user/balance');
      expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
    });
  });
});

describe("An admin's cookie session", () => {
  it('begins with a password sign-in, is verified, shows its profile, and ends by logout', async () => {
    const browser = new Browser(platform);
    const reply = await browser.signInAsAdmin('operator@example.com', PASSWORD);
    expect(Object.keys(reply.data).sort()).toEqual(['admin', 'csrfToken', 'expiresIn']);
    expect(browser.setCookies[0]).toMatch(/^admin-session=eyJ.*; HttpOnly; SameSite=Strict$/);

    const verified = await browser.call('GET', '/api/auth/cookie/admin/verify');
    expect(verified.data).toMatchObject({
      valid: true,
      admin: { email: 'operator@example.com' },
      csrfToken: browser.csrfToken,
    });
    const profile = await browser.call('GET', '/api/auth/cookie/admin/profile');
    expect(profile.data).toMatchObject({
      email: 'operator@example.com',
      role: 'operator',
      lastLoginAt: platform.clock.now().toISOString(),
    });
    expect((await browser.callAsPage('GET', '/api/admin/withdrawals')).status).toBe(200);

    expect((await browser.call('POST', '/api/auth/cookie/admin/logout')).code).toBe('CSRF_INVALID');
    const logout = await browser.callAsPage('POST', '/api/auth/cookie/admin/logout');
    expect(logout.data).toEqual({ message: expect.any(String), loggedOutAt: expect.any(String) });
    expect(browser.cookie('admin-session')).toBeUndefined();
  });

  it.each([
    ['a wrong password', 'admin@example.com', 'wrong', 401, 'INVALID_CREDENTIALS'],
    ['an unknown e-mail address', 'nobody@example.com', PASSWORD, 401, 'INVALID_CREDENTIALS'],
    ['an invalid e-mail address', 'admin', PASSWORD, 400, 'INVALID_EMAIL'],
  ])('does not begin with %s', async (_what, email, password, status, code) => {
    const browser = new Browser(platform);
    const reply = await browser.signInAsAdmin(email, password);
    expect([reply.status, reply.code]).toEqual([status, code]);
    expect(browser.setCookies).toEqual([]);
  });

  it('shares the limit of attempts with the bearer sign-in', async () => {
    const strict = await startReplica(platform, { RATE_LIMIT_SIGN_IN: 2 });
    const browser = new Browser(platform, strict);
    expect((await browser.signInAsAdmin('admin@example.com', 'wrong')).code).toBe('INVALID_CREDENTIALS');
    const bearer = platform.as(null, strict);
    const wrong = { email: 'admin@example.com', password: 'wrong' };
    expect((await bearer.post('/api/admin/auth/login', wrong)).code).toBe('INVALID_CREDENTIALS');
    expect((await browser.signInAsAdmin('admin@example.com', PASSWORD)).code).toBe('TOO_MANY_ATTEMPTS');
  });

  it('is rejected by routes for users, and a user’s session by routes for admins', async () => {
    const [user, admin] = [await signedIn(), await signedInAdmin()];
    expect((await user.call('GET', '/api/auth/cookie/admin/verify')).code).toBe('NOT_ADMIN_TOKEN');
    expect((await user.call('GET', '/api/auth/cookie/admin/profile')).code).toBe('ADMIN_REQUIRED');
    expect((await user.callAsPage('GET', '/api/admin/withdrawals')).code).toBe('ADMIN_REQUIRED');
    expect((await admin.call('GET', '/api/auth/cookie/verify')).code).toBe('FORBIDDEN');
    expect((await admin.callAsPage('GET', '/api/user/balance')).code).toBe('FORBIDDEN');
    // A user's token in the admins' cookie does not make an admin.
    const disguised = new Browser(platform);
    disguised.setCookie('admin-session', user.cookie('session') as string);
    expect((await disguised.call('GET', '/api/auth/cookie/admin/verify')).code).toBe('NOT_ADMIN_TOKEN');
  });

  it('is not used by a route for users whose own cookie is invalid, and is still valid on the routes for admins', async () => {
    const browser = await signedInAdmin();
    browser.setCookie('session', 'a.b.c');
    expect((await browser.call('GET', '/api/auth/cookie/verify')).code).toBe('TOKEN_INVALID');
    expect((await browser.call('GET', '/api/auth/cookie/admin/verify')).status).toBe(200);
  });

  it("coexists with a user's session in one browser, and the csrfToken selects the session", async () => {
    const browser = await signedIn('both@example.org');
    const userCsrf = browser.csrfToken;
    await browser.signInAsAdmin('admin@example.com', PASSWORD);
    const currentEmail = async () => (await browser.callAsPage('GET', '/api/auth/check')).data.user.email;
    expect(await currentEmail()).toBe('admin@example.com');
    browser.csrfToken = userCsrf;
    expect(await currentEmail()).toBe('both@example.org');
    expect((await browser.call('GET', '/api/auth/cookie/verify')).data.user.email).toBe('both@example.org');
    expect((await browser.call('GET', '/api/auth/cookie/admin/verify')).data.admin.email).toBe(
      'admin@example.com',
    );
    expect((await browser.call('POST', '/api/auth/cookie/admin/logout')).code).toBe('CSRF_INVALID');
  });
});
