import { eventually } from '../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

describe('a refresh token', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  const signIn = async (email: string) => {
    const jwt = await platform.outside.providers.identity.token({ email });
    return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data;
  };
  const refresh = (refreshToken: unknown) => platform.as(null).post('/api/auth/refresh', { refreshToken });
  const profileCode = async (token: string) =>
    (await platform.as({ token }).get('/api/auth/user/profile')).code;

  it('is worth a new pair, once', async () => {
    const first = await signIn('ann@example.org');
    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    expect(second.data).toMatchObject({ expiresIn: 86400, tokenType: 'Bearer' });
    expect(await profileCode(second.data.token)).toBeUndefined();
    expect((await refresh(second.data.refreshToken)).status).toBe(200);
  });

  it('ends everything of its sign-in when it is used again, and nothing else', async () => {
    const [stolen, elsewhere] = [await signIn('bob@example.org'), await signIn('bob@example.org')];
    const thief = await refresh(stolen.refreshToken);
    const owner = await refresh(stolen.refreshToken);
    expect([owner.status, owner.code]).toEqual([401, 'REFRESH_TOKEN_REVOKED']);
    expect((await refresh(thief.data.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
    await eventually(async () => expect(await profileCode(thief.data.token)).toBe('TOKEN_INVALID'));
    expect(await profileCode(elsewhere.token)).toBeUndefined();
  });

  it('is won by one of many that use it at once [SEC-108]', async () => {
    const { refreshToken } = await signIn('race@example.org');
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)))).map(
      (r) => r.status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('goes with the session on logging out [SEC-110]', async () => {
    const pair = await signIn('eve@example.org');
    await platform.as(pair).post('/api/auth/logout');
    expect((await refresh(pair.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
  });

  it("of a user is nothing to an admin's door, and the other way round", async () => {
    const [user, admin] = [await signIn('eve@example.org'), await signIn('admin@example.com')];
    const asAdmin = platform.as(admin);
    expect((await asAdmin.post('/api/admin/auth/refresh', { refreshToken: user.refreshToken })).code).toBe(
      'INVALID_REFRESH_TOKEN',
    );
    expect((await refresh(admin.refreshToken)).code).toBe('INVALID_REFRESH_TOKEN');
    const renewed = await asAdmin.post('/api/admin/auth/refresh', { refreshToken: admin.refreshToken });
    expect(renewed.status).toBe(200);
    expect((await platform.as(renewed.data).get('/api/admin/auth/verify')).data.valid).toBe(true);
  });

  it.each([
    ['unknown', 'x'.repeat(43), 401, 'INVALID_REFRESH_TOKEN'],
    ['missing', undefined, 400, 'MISSING_REQUIRED_FIELD'],
    ['not text', 5, 400, 'VALIDATION_ERROR'],
  ])('is refused when it is %s', async (_what, token, status, code) => {
    const reply = await refresh(token);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });
});
