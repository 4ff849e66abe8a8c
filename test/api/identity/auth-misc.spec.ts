import { createHmac } from 'node:crypto';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { AppConfig } from '../../../src/config/app-config.js';
import { PasswordsService } from '../../../src/modules/identity/auth/passwords.service.js';
import { eventually } from '../../harness/eventually.js';
import { sendRequest } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fewestQueriesDuring } from '../../harness/queries.js';
import { startReplica } from '../../harness/replica.js';
import { cpuTimeMs } from '../../verification/load/growth.js';

const PASSWORD = 'sandbox-password';
const OPERATORS_WITHOUT_PASSWORD = ['newcomer', 'racer', 'idle'].map((name) => `${name}@example.com`);

let platform: TestPlatform;
let listedAdmins: object[];

beforeAll(async () => {
  platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
  const file = platform.app.get(AppConfig).ADMINS_FILE;
  const admins = JSON.parse(readFileSync(file, 'utf8')) as object[];
  listedAdmins = [
    ...admins,
    ...OPERATORS_WITHOUT_PASSWORD.map((email) => ({ email, name: 'New', roles: ['operator'] })),
    { email: 'roleless@example.com', roles: [] },
    { email: 'disabled@example.com', roles: ['admin'], status: 'disabled' },
  ];
  writeFileSync(file, JSON.stringify(listedAdmins));
  utimesSync(file, new Date(), new Date(Date.now() + 1000)); // the service reads the file again if this time differs
  const health = async () => (await platform.as(null).get('/api/auth/admin/health')).data;
  await eventually(async () => expect((await health()).adminsConfigured).toBe(listedAdmins.length));
});
afterAll(() => platform?.stop());

const idpLogin = async (email: string) => {
  const jwt = await platform.outside.providers.identity.token({ email });
  return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data;
};
const passwordLogin = (email: string, password: string, at?: string) =>
  platform.as(null, at).post('/api/admin/auth/login', { email, password });

describe('A bearer token', () => {
  it('is described by GET /api/auth/check', async () => {
    const [user, admin] = [await platform.given.user(), await platform.given.admin()];
    const { exp = 0, iat = 0 } = decodeJwt(user.token);
    expect((await platform.as(user).get('/api/auth/check')).data).toEqual({
      authenticated: true,
      type: 'user',
      isAdmin: false,
      user: { id: user.id, email: user.email },
      issuedAt: new Date(iat * 1000).toISOString(),
      expiresAt: new Date(exp * 1000).toISOString(),
    });
    const ofAdmin = { authenticated: true, type: 'admin', isAdmin: true, user: { email: admin.email } };
    expect((await platform.as(admin).get('/api/auth/check')).data).toMatchObject(ofAdmin);
    expect((await platform.as(null).get('/api/auth/check')).code).toBe('TOKEN_MISSING');
    expect((await platform.as({ token: 'x' }).get('/api/auth/check')).code).toBe('TOKEN_INVALID');
  });

  it('shows the account of its user or admin', async () => {
    const [user, admin] = [await platform.given.user(), await platform.given.admin('support')];
    const own = (await platform.as(user).get('/api/auth/profile')).data;
    expect(own).toEqual((await platform.as(user).get('/api/auth/user/profile')).data);
    const account = (await platform.as(admin).get('/api/auth/profile')).data;
    expect(account).toEqual({
      id: expect.any(String),
      email: 'support@example.com',
      name: 'Sam Support',
      roles: ['support'],
      permissions: ['users:read', 'investments:read', 'transactions:read'],
      createdAt: expect.any(String),
      lastLoginAt: platform.clock.now().toISOString(),
      status: 'active',
      role: 'support',
    });
    expect((await platform.as(admin).get('/api/auth/admin/profile')).data).toEqual(account);
    expect((await platform.as(user).get('/api/auth/admin/profile')).code).toBe('ADMIN_REQUIRED');
  });

  it('is validated by POST /api/admin/auth/validate-token without authentication', async () => {
    const validate = async (token: unknown) =>
      (await platform.as(null).post('/api/admin/auth/validate-token', { token })).data;
    const [user, admin] = [await platform.given.user(), await platform.given.admin()];
    const { exp = 0 } = decodeJwt(user.token);
    const expiresAt = new Date(exp * 1000).toISOString();
    const VALID = { valid: true, type: 'user', subject: user.id, reason: null, expiresAt };
    expect(await validate(user.token)).toEqual(VALID);
    expect(await validate(admin.token)).toMatchObject({ valid: true, type: 'admin' });

    const INVALID = { valid: false, type: null, subject: null, expiresAt: null };
    expect(await validate('nonsense')).toEqual({ ...INVALID, reason: 'invalid' });
    expect(await validate(expired(user.token))).toEqual({ ...INVALID, reason: 'expired' });
    await platform.as(user).post('/api/auth/logout');
    expect(await validate(user.token)).toEqual({ ...INVALID, reason: 'invalid' });
    const inactiveUser = await platform.given.user();
    const deactivate = `update platform_user set status = 'inactive' where id = $1`;
    await platform.dataSource.query(deactivate, [inactiveUser.id]);
    expect(await validate(inactiveUser.token)).toEqual({ ...INVALID, reason: 'not_active' });
    const reply = await platform.as(null).post('/api/admin/auth/validate-token', {});
    expect([reply.status, reply.code]).toEqual([400, 'MISSING_REQUIRED_FIELD']);
  });

  /** The same token with an expiry in the past and a valid signature. */
  function expired(token: string): string {
    const [header = ''] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), exp: 1 })).toString('base64url');
    const secret = platform.app.get(AppConfig).JWT_USER_SECRET;
    return `${header}.${claims}.${createHmac('sha256', secret).update(`${header}.${claims}`).digest('base64url')}`;
  }
});

describe('POST /api/auth/test-refresh', () => {
  const checkToken = async (refreshToken: unknown, at?: string) =>
    platform.as(null, at).post('/api/auth/test-refresh', { refreshToken });
  const NOT_VALID = { valid: false, expiresAt: null };

  it('reports whether a refresh token is valid and does not use it up', async () => {
    const { refreshToken } = await idpLogin('refresh@example.org');
    for (let time = 1; time <= 2; time++) {
      const { data } = await checkToken(refreshToken);
      expect(data.valid).toBe(true);
      const days = (Date.parse(data.expiresAt) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(7);
    }
    expect((await platform.as(null).post('/api/auth/refresh', { refreshToken })).status).toBe(200);
    expect((await checkToken(refreshToken)).data).toEqual(NOT_VALID);
    expect((await checkToken('unknown')).data).toEqual(NOT_VALID);
    expect((await checkToken((await idpLogin('admin@example.com')).refreshToken)).data.valid).toBe(true);
  });

  it('reports a refresh token of a suspended user as invalid', async () => {
    const { refreshToken, user } = await idpLogin('refresh-suspended@example.org');
    await platform.dataSource.query(`update platform_user set status = 'suspended' where id = $1`, [user.id]);
    expect((await checkToken(refreshToken)).data).toEqual(NOT_VALID);
  });

  it('answers 404 in production', async () => {
    const production = await startReplica(platform, { NODE_ENV: 'production' });
    for (const token of [(await idpLogin('refresh@example.org')).refreshToken, undefined]) {
      const reply = await checkToken(token, production);
      expect([reply.status, reply.code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});

describe('Admin accounts', () => {
  const register = async (
    name: 'admin' | 'admin2' | 'operator' | 'readonly',
    email: string,
    password = PASSWORD,
  ) => platform.as(await platform.given.admin(name)).post('/api/admin/auth/register', { email, password });

  it('are counted by the public health route', async () => {
    expect((await platform.as(null).get('/api/auth/admin/health')).data).toEqual({
      status: 'healthy',
      adminsConfigured: listedAdmins.length,
    });
  });

  it('listed without a password get their first password once [SEC-075]', async () => {
    expect((await passwordLogin('newcomer@example.com', PASSWORD)).code).toBe('INVALID_CREDENTIALS');
    const reply = await register('admin', 'Newcomer@example.com');
    expect(reply.status).toBe(201);
    expect(reply.data).toMatchObject({ email: 'newcomer@example.com', role: 'operator', lastLoginAt: null });
    expect(JSON.stringify(reply.body)).not.toContain(PASSWORD);
    expect((await passwordLogin('newcomer@example.com', 'wrong-password')).code).toBe('INVALID_CREDENTIALS');
    expect((await passwordLogin('newcomer@example.com', PASSWORD)).data.admin.roles).toEqual(['operator']);

    const again = await register('admin', 'newcomer@example.com', 'another-password');
    expect([again.status, again.code]).toEqual([403, 'FORBIDDEN']);
    expect((await passwordLogin('newcomer@example.com', PASSWORD)).status).toBe(200);
    const [account] = await platform.dataSource.query(
      `select password_hash, password_set_by from admin_account where email = 'newcomer@example.com'`,
    );
    expect(account.password_hash).toMatch(/^\$argon2id\$/);
    expect(account.password_set_by).toBe('admin@example.com');
  });

  it('get one first password when two admins set it concurrently', async () => {
    const replies = await Promise.all([
      register('admin', 'racer@example.com', 'password-of-admin'),
      register('admin2', 'racer@example.com', 'password-of-admin2'),
    ]);
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 403]);
    const winner = replies[0]?.status === 201 ? 'password-of-admin' : 'password-of-admin2';
    expect((await passwordLogin('racer@example.com', winner)).status).toBe(200);
  });

  it.each([
    ['an e-mail address that is not listed', 'unlisted@example.com', PASSWORD, 403, 'FORBIDDEN'],
    ['the address of an admin with a configured password', 'admin2@example.com', PASSWORD, 403, 'FORBIDDEN'],
    ['an invalid e-mail address', 'newcomer', PASSWORD, 400, 'INVALID_EMAIL'],
    ['a password that is too short', 'idle@example.com', 'elevenchars', 400, 'VALIDATION_ERROR'],
    ['no password', 'idle@example.com', undefined, 400, 'MISSING_REQUIRED_FIELD'],
  ])('are not registered with %s [SEC-073]', async (_what, email, password, status, code) => {
    const admin = await platform.given.admin();
    const reply = await platform.as(admin).post('/api/admin/auth/register', { email, password });
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  it('can be registered only by admins with the role admin', async () => {
    for (const name of ['operator', 'readonly'] as const)
      expect((await register(name, 'idle@example.com')).code).toBe('PERMISSION_DENIED');
    const user = await platform.given.user();
    const body = { email: 'idle@example.com', password: PASSWORD };
    expect((await platform.as(user).post('/api/admin/auth/register', body)).code).toBe('ADMIN_REQUIRED');
    expect((await platform.as(null).post('/api/admin/auth/register', body)).code).toBe('TOKEN_MISSING');
  });

  it('that are disabled or without roles cannot sign in with their password', async () => {
    for (const [email, code] of [
      ['disabled@example.com', 'ACCOUNT_DISABLED'],
      ['roleless@example.com', 'INSUFFICIENT_PERMISSIONS'],
    ] as const) {
      expect((await register('admin', email)).status).toBe(201);
      const reply = await passwordLogin(email, PASSWORD);
      expect([reply.status, reply.code]).toEqual([403, code]);
      expect((await passwordLogin(email, 'wrong-password')).code).toBe('INVALID_CREDENTIALS');
    }
  });

  it('that are disabled or without roles cannot sign in through the identity provider', async () => {
    for (const [email, code] of [
      ['disabled@example.com', 'FORBIDDEN'],
      ['roleless@example.com', 'INSUFFICIENT_PERMISSIONS'],
    ] as const) {
      const jwt = await platform.outside.providers.identity.token({ email });
      const reply = await platform.as({ token: jwt }).post('/api/auth/idp/login');
      expect([reply.status, reply.code]).toEqual([403, code]);
    }
  });
});

describe('A password sign-in', () => {
  it('reports the remaining attempts in the headers of every response', async () => {
    const strict = await startReplica(platform, { RATE_LIMIT_SIGN_IN: 3 });
    const attempt = async (email: string, password: string) => {
      const { status, code, headers } = await passwordLogin(email, password, strict);
      const seconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      expect(seconds).toBeGreaterThan(800); // of the 900 s (15 minutes) in which attempts are counted
      expect(seconds).toBeLessThanOrEqual(901);
      return [code ?? status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    // Validation errors are not counted as attempts.
    expect(await attempt('not-an-email', PASSWORD)).toEqual(['INVALID_EMAIL', '3', '3']);
    expect(await attempt('admin@example.com', PASSWORD)).toEqual([200, '3', '3']); // a successful sign-in is not counted
    // Attempts are counted per client address.
    expect(await attempt('nobody@example.com', PASSWORD)).toEqual(['INVALID_CREDENTIALS', '3', '2']);
    expect(await attempt('admin@example.com', 'wrong')).toEqual(['INVALID_CREDENTIALS', '3', '1']);
    expect(await attempt('admin@example.com', PASSWORD)).toEqual([200, '3', '1']);
    expect(await attempt('admin@example.com', 'wrong')).toEqual(['INVALID_CREDENTIALS', '3', '0']);
    expect(await attempt('admin@example.com', PASSWORD)).toEqual(['TOO_MANY_ATTEMPTS', '3', '0']);
    expect(await attempt('not-an-email', PASSWORD)).toEqual(['INVALID_EMAIL', '3', '0']);
  });

  it('does the same work for an unknown e-mail address as for a known one [SEC-078]', async () => {
    const passwords = platform.app.get(PasswordsService);
    const compared = jest.spyOn(passwords, 'matches');
    const workFor = async (email: string) => {
      compared.mockClear();
      const statements = await fewestQueriesDuring(async () =>
        expect((await passwordLogin(email, 'wrong-password')).code).toBe('INVALID_CREDENTIALS'),
      );
      return { statements, comparisons: compared.mock.calls.length };
    };
    const ofKnown = await workFor('admin@example.com');
    expect(await workFor('nobody@example.com')).toEqual(ofKnown);
    expect(await workFor('idle@example.com')).toEqual(ofKnown);
    expect(ofKnown.comparisons).toBeGreaterThan(0);

    // The comparison without a stored hash must take as long as the one with a hash.
    const { passwordHash } = listedAdmins[0] as { passwordHash: string };
    const costOf = async (hash: string | null) => {
      const before = cpuTimeMs();
      expect(await passwords.matches(hash, 'wrong-password')).toBe(false);
      return cpuTimeMs() - before;
    };
    const withHash: number[] = [];
    const without: number[] = [];
    for (let round = 0; round < 10; round++) {
      withHash.push(await costOf(passwordHash));
      without.push(await costOf(null));
    }
    const ratio = Math.min(...without) / Math.min(...withHash); // measured: 0.95 to 1.07, also on a busy machine
    expect(ratio).toBeGreaterThan(1 / 2);
    expect(ratio).toBeLessThan(2);
  });
});

describe('The configured name of the identity provider', () => {
  it('can replace idp in the path of the sign-in route', async () => {
    const named = await startReplica(platform, { IDP_NAME: 'acme' });
    const jwt = await platform.outside.providers.identity.token({ email: 'acme@example.org' });
    const send = (path: string) =>
      sendRequest(named + path, { method: 'POST', headers: { authorization: `Bearer ${jwt}` } });
    expect((await send('/api/auth/acme/login')).status).toBe(200);
    expect((await send('/API/auth/Acme/login/')).status).toBe(200);
  });
});
