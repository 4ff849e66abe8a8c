import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { decodeJwt, SignJWT } from 'jose';
import { AppConfig } from '../../../src/config/app-config.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { oneSecondLater } from '../../harness/current-sessions.js';
import { Browser } from '../../harness/browser.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

describe('Sign-in', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const idpToken = (claims: Record<string, unknown>) =>
    platform.outside.providers.identity.token(claims as { email: string });
  const login = (jwt: string | null, body?: unknown) =>
    platform.as(jwt === null ? null : { token: jwt }).post('/api/auth/idp/login', body);
  const config = () => platform.app.get(AppConfig);

  describe("with the identity provider's token", () => {
    it('creates a user at the first sign-in and finds the same user at the second', async () => {
      const first = await login(await idpToken({ email: 'Ann@example.org', name: 'Ann Lee' }));
      expect(first.status).toBe(200);
      expect(first.body.message).toBe('Authentication successful');
      expect(first.data).toMatchObject({ expiresIn: 86400, tokenType: 'Bearer', isAdmin: false });
      expect(first.data.user).toMatchObject({ email: 'ann@example.org', full_name: 'Ann Lee' });
      expect(first.data).not.toHaveProperty('adminPermissions');

      const second = await login(await idpToken({ email: 'ann@example.org' }));
      expect(second.data.user.id).toBe(first.data.user.id);
    });

    it.each([
      ['a NUL character', 'Ann\0 Lee', 'Ann Lee'],
      ['control characters', '\x1b[31mAnn\r\n\x85Lee\x7f', '[31mAnnLee'],
      ['lone surrogates', '\udc00Ann \ud800Lee', 'Ann Lee'],
      ['201 characters', 'x'.repeat(201), 'x'.repeat(200)],
      ['a surrogate pair at its 200th place', `${'x'.repeat(199)}😀y`, 'x'.repeat(199)],
      ['surrogate pairs up to its 200th place', '😀'.repeat(101), '😀'.repeat(100)],
      ['only NUL characters', '\0\0', null],
      ['a number', 7, null],
    ])('cleans a name with %s instead of rejecting the user', async (what, name, expected) => {
      const email = `${what.replace(/\W/g, '-')}@example.org`;
      const { status, data } = await login(await idpToken({ email, name }));
      expect([status, data.user.full_name]).toEqual([200, expected]);
    });

    it('creates one user for concurrent first sign-ins', async () => {
      const jwt = await idpToken({ email: 'twin@example.org' });
      const replies = await Promise.all(Array.from({ length: 8 }, () => login(jwt)));
      expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(200));
      expect(new Set(replies.map((reply) => reply.data.user.id)).size).toBe(1);
    });

    it('returns an admin token for an admin', async () => {
      const reply = await login(await idpToken({ email: 'admin@example.com' }));
      expect(reply.body.message).toBe('Admin authentication successful');
      expect(reply.data).toMatchObject({ isAdmin: true, adminPermissions: ['*'] });
      expect(decodeJwt(reply.data.token)).toMatchObject({
        type: 'admin',
        roles: ['admin'],
        permissions: ['*'],
      });
    });

    it.each([
      ['no e-mail address', { email: null }, 401, 'EMAIL_MANDATORY'],
      [
        'an e-mail address that is not verified',
        { email: 'x@example.org', emailVerified: false },
        401,
        'EMAIL_NOT_VERIFIED',
      ],
      ['an expired token', { email: 'x@example.org', expiresInSeconds: -60 }, 401, 'SUPABASE_JWT_INVALID'],
    ])('rejects %s', async (_what, claims, status, code) => {
      const reply = await login(await idpToken(claims));
      expect([reply.status, reply.code]).toEqual([status, code]);
    });

    it('requires the Authorization header [SEC-094]', async () => {
      const reply = await login(null);
      expect([reply.status, reply.code]).toEqual([400, 'VALIDATION_ERROR']);
    });

    it.each(['garbage', 'a.b.c', ''])('rejects the token %j', async (jwt) => {
      const reply = await platform
        .as(null)
        .post('/api/auth/idp/login', {}, { headers: { authorization: `Bearer ${jwt}` } });
      expect([reply.status, reply.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
    });

    it('checks the token before the body', async () => {
      const reply = await login('a.b.c', { session: 'local-storage' });
      expect([reply.status, reply.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
    });

    it('rejects a token signed with an unknown key and names the failed check', async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const [header] = (await idpToken({ email: 'x@example.org' })).split('.') as [string];
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
      const forged = await new SignJWT({ email: 'admin@example.com', email_verified: true })
        .setProtectedHeader({ alg: 'RS256', kid })
        .setIssuer(config().IDP_ISSUER)
        .setAudience(config().IDP_AUDIENCE)
        .setExpirationTime('1h')
        .sign(privateKey);
      const reply = await login(forged);
      expect([reply.status, reply.code]).toEqual([401, 'SUPABASE_JWT_INVALID']);
      expect(reply.body.error.details).toEqual({ reason: 'signature' });
    });

    it('returns a redirectUrl at PUBLIC_URL or CORS_ORIGINS, and rejects other URLs', async () => {
      const jwt = await idpToken({ email: 'going@example.org' });
      const app = 'https://app.example.com';
      const replicaUrl = await startReplica(platform, { CORS_ORIGINS: [app, 'http://localhost:5173'] });
      const signIn = (body: object) =>
        platform.as({ token: jwt }, replicaUrl).post('/api/auth/idp/login', body);
      for (const redirectUrl of [app, `${config().PUBLIC_URL}/a?b=c#d`, 'http://localhost:5173/'])
        for (const session of ['bearer', 'cookie'])
          expect((await signIn({ redirectUrl, session })).data.redirectUrl).toBe(redirectUrl);
      expect((await signIn({})).data).not.toHaveProperty('redirectUrl');
      for (const redirectUrl of [
        'http://app.example.com',
        'https://app.example.com:8443/',
        'http://localhost:5174',
      ])
        expect(await signIn({ redirectUrl })).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    });

    it('rejects a redirectUrl that is not text, and unknown fields', async () => {
      const jwt = await idpToken({ email: 'ann@example.org' });
      expect((await login(jwt, { redirectUrl: 5 })).code).toBe('VALIDATION_ERROR');
      expect((await login(jwt, { isAdmin: true })).code).toBe('VALIDATION_ERROR');
    });

    it('rejects a suspended user', async () => {
      const user = await platform.given.user('gone@example.org');
      await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [
        user.id,
      ]);
      const reply = await login(await idpToken({ email: 'gone@example.org' }));
      expect([reply.status, reply.code]).toEqual([403, 'FORBIDDEN']);
      const call = await platform.as(user).get('/api/auth/user/profile');
      expect([call.status, call.code]).toEqual([403, 'FORBIDDEN']);
    });
  });

  describe('issues a token of the platform that', () => {
    it('reads the profile of its user', async () => {
      const user = await platform.given.user();
      const profile = await platform.as(user).get('/api/auth/user/profile');
      expect(profile.data).toMatchObject({ id: user.id, email: user.email, status: 'active' });
      expect(profile.headers.get('cache-control')).toBe('no-store');
    });

    it('is rejected after logout, unlike other tokens of the user [SEC-084]', async () => {
      const user = await platform.given.user('twice@example.org');
      const secondSignIn = await platform.given.user('twice@example.org');
      const reply = await platform.as(user).post('/api/auth/logout');
      expect(reply.data).toEqual({ message: expect.any(String) });
      expect((await platform.as(user).get('/api/auth/user/profile')).code).toBe('TOKEN_INVALID');
      expect((await platform.as(secondSignIn).get('/api/auth/user/profile')).status).toBe(200);
    });

    it('is reported as invalid by the status route if it is a revoked cookie', async () => {
      const browser = new Browser(platform);
      await browser.signIn('revoked@example.org');
      const revoked = browser.cookie('session') as string;
      await browser.callAsPage('POST', '/api/auth/cookie/logout');
      browser.setCookie('session', revoked);
      const { data } = await browser.callAsPage('GET', '/api/auth/status');
      expect(data).toEqual({ authenticated: false, reason: 'invalid_token' });
    });

    it('is described by the status route, which never answers 401', async () => {
      const user = await platform.given.user();
      const admin = await platform.given.admin();
      const status = async (caller: { token: string } | null) =>
        (await platform.as(caller).get('/api/auth/status')).data;
      expect(await status(null)).toEqual({ authenticated: false, reason: 'no_token' });
      expect(await status({ token: 'nonsense' })).toEqual({ authenticated: false, reason: 'invalid_token' });
      expect(await status(user)).toEqual({
        authenticated: true,
        user: { id: user.id, email: user.email },
        tokenValid: true,
        isAdmin: false,
      });
      expect(await status(admin)).toMatchObject({ authenticated: true, isAdmin: true });
    });

    /** A new user's token with changed claims, signed again with the secret for tokens of users. */
    const forge = async (change: (claims: Record<string, unknown>) => void) => {
      const user = await platform.given.user();
      const claims: Record<string, unknown> = { ...decodeJwt(user.token) };
      change(claims);
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const body = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
      return `${body}.${createHmac('sha256', config().JWT_USER_SECRET).update(body).digest('base64url')}`;
    };
    const codeOf = async (token: string) => (await platform.as({ token }).get('/api/auth/user/profile')).code;

    it('is accepted when it is signed again unchanged, so that the forged ones fail by their changes', async () => {
      expect(await codeOf(await forge(() => undefined))).toBeUndefined();
    });

    it.each(['exp', 'iat', 'sub', 'jti', 'iss', 'aud', 'type', 'email'])(
      'is rejected without %s',
      async (claim) => {
        expect(await codeOf(await forge((claims) => delete claims[claim]))).toBe('TOKEN_INVALID');
      },
    );

    it('is rejected when it has expired, has another issuer or audience, or has no session', async () => {
      expect(await codeOf(await forge((claims) => (claims.exp = 1)))).toBe('TOKEN_EXPIRED');
      expect(await codeOf(await forge((claims) => (claims.iss = 'others')))).toBe('TOKEN_INVALID');
      expect(await codeOf(await forge((claims) => (claims.aud = 'others')))).toBe('TOKEN_INVALID');
      expect(await codeOf(await forge((claims) => (claims.jti = UNKNOWN_ID)))).toBe('TOKEN_INVALID');
      expect(await codeOf(await forge((claims) => (claims.jti = 'not-a-uuid')))).toBe('TOKEN_INVALID');
    });

    it('is rejected as admin token when it is signed with the users’ secret', async () => {
      const token = await forge((claims) => Object.assign(claims, { type: 'admin', permissions: ['*'] }));
      expect((await platform.as({ token }).get('/api/admin/auth/verify')).code).toBe('TOKEN_INVALID');
    });

    it('is rejected without a signature', async () => {
      const user = await platform.given.user();
      const [, claims] = user.token.split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
      expect(await codeOf(`${header}.${claims}.`)).toBe('TOKEN_INVALID');
    });
  });

  describe('of an admin', () => {
    const passwordLogin = (email: unknown, password: unknown) =>
      platform.as(null).post('/api/admin/auth/login', { email, password });

    it('by password returns a valid token [SEC-113]', async () => {
      const reply = await passwordLogin('operator@example.com', 'sandbox-password');
      expect(reply.status).toBe(200);
      expect(reply.data.admin).toMatchObject({ email: 'operator@example.com', roles: ['operator'] });
      const verified = await platform.as(reply.data).get('/api/admin/auth/verify');
      expect(verified.data).toMatchObject({ valid: true, admin: { email: 'operator@example.com' } });
      const seconds = (Date.parse(verified.data.expiresAt) - Date.parse(verified.data.issuedAt)) / 1000;
      expect(seconds).toBe(86400);
    });

    it.each([
      ['a wrong password', 'admin@example.com', 'wrong', 401, 'INVALID_CREDENTIALS'],
      ['an unknown e-mail address', 'nobody@example.com', 'sandbox-password', 401, 'INVALID_CREDENTIALS'],
      ['an invalid e-mail address', 'admin', 'sandbox-password', 400, 'INVALID_EMAIL'],
      ['no password', 'admin@example.com', undefined, 400, 'MISSING_REQUIRED_FIELD'],
      ['an empty password', 'admin@example.com', '', 400, 'VALIDATION_ERROR'],
    ])('is rejected with %s', async (_what, email, password, status, code) => {
      const reply = await passwordLogin(email, password);
      expect([reply.status, reply.code]).toEqual([status, code]);
    });

    it('gives a token that is rejected after logout', async () => {
      const admin = await platform.given.admin('support');
      const reply = await platform.as(admin).post('/api/admin/auth/logout');
      expect(reply.data).toMatchObject({ message: expect.any(String), loggedOutAt: expect.any(String) });
      expect((await platform.as(admin).get('/api/admin/auth/verify')).code).toBe('TOKEN_INVALID');
    });

    it('gives a token that routes of users reject, as routes of admins reject the token of a user', async () => {
      const user = await platform.given.user();
      const admin = await platform.given.admin();
      const verify = await platform.as(user).get('/api/admin/auth/verify');
      expect([verify.status, verify.code]).toEqual([403, 'NOT_ADMIN_TOKEN']);
      expect((await platform.as(user).post('/api/admin/auth/logout')).code).toBe('ADMIN_REQUIRED');
      expect((await platform.as(admin).get('/api/auth/user/profile')).code).toBe('FORBIDDEN');
      expect((await platform.as(null).get('/api/admin/auth/verify')).code).toBe('TOKEN_MISSING');
    });

    it('gives a token that is rejected within a second after the admin’s removal from ADMINS_FILE [SEC-090]', async () => {
      const admin = await platform.given.admin('readonly');
      const file = config().ADMINS_FILE;
      const before = readFileSync(file, 'utf8');
      const without = (JSON.parse(before) as { email: string }[]).filter(
        (entry) => entry.email !== admin.email,
      );
      writeFileSync(file, JSON.stringify(without));
      // The platform reads the file again if its modification time has changed.
      utimesSync(file, new Date(), new Date(Date.now() + 1000));
      await oneSecondLater(async () =>
        expect((await platform.as(admin).get('/api/admin/auth/verify')).code).toBe('TOKEN_INVALID'),
      );
      writeFileSync(file, before);
    });
  });
});
