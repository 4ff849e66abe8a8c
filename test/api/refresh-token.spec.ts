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

  /** As if the tokens of somebody had been spent so much earlier, by the clock that judges it. */
  const spentEarlier = (id: string, seconds: number) =>
    platform.dataSource.query(
      `update refresh_token set spent_at = spent_at - make_interval(secs => $2) where subject_id = $1`,
      [id, seconds],
    );

  it('is worth a new pair', async () => {
    const first = await signIn('ann@example.org');
    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    expect(second.data).toMatchObject({ expiresIn: 86400, tokenType: 'Bearer' });
    expect(await profileCode(second.data.token)).toBeUndefined();
    expect((await refresh(second.data.refreshToken)).status).toBe(200);
  });

  it('answers the same successor again for ten seconds, whatever became of that', async () => {
    const first = await signIn('again@example.org');
    const second = await refresh(first.refreshToken);
    await refresh(second.data.refreshToken);
    await spentEarlier(first.user.id, 9);
    const again = await refresh(first.refreshToken);
    expect([again.status, again.data.refreshToken]).toEqual([200, second.data.refreshToken]);
    expect(again.data.token).not.toBe(second.data.token);
    for (const { data } of [second, again]) expect(await profileCode(data.token)).toBeUndefined();
  });

  it('is followed by one successor when many use it at once [SEC-108]', async () => {
    const { refreshToken } = await signIn('race@example.org');
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(replies.map(({ data }) => data.refreshToken)).size).toBe(1);
    expect((await refresh(replies[0]?.data.refreshToken)).status).toBe(200);
  });

  it('ends everything of its sign-in when it is used again after ten seconds, and nothing else', async () => {
    const [stolen, elsewhere] = [await signIn('bob@example.org'), await signIn('bob@example.org')];
    const thief = await refresh(stolen.refreshToken);
    await spentEarlier(stolen.user.id, 10);
    const owner = await refresh(stolen.refreshToken);
    expect([owner.status, owner.code]).toEqual([401, 'REFRESH_TOKEN_REVOKED']);
    expect((await refresh(thief.data.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
    await eventually(async () => expect(await profileCode(thief.data.token)).toBe('TOKEN_INVALID'));
    expect(await profileCode(elsewhere.token)).toBeUndefined();
  });

  it('answers no successor once its family has ended', async () => {
    const first = await signIn('ended@example.org');
    const second = await refresh(first.refreshToken);
    await platform.as(second.data).post('/api/auth/logout');
    expect((await refresh(first.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
  });

  it('leaves its successor in the database encrypted, and no longer than it answers it', async () => {
    const { refreshToken, user } = await signIn('kept@example.org');
    const { data } = await refresh(refreshToken);
    const rows = () =>
      platform.dataSource.query<{ successor: Buffer | null }[]>(
        'select successor from refresh_token where subject_id = $1 and spent_at is not null',
        [user.id],
      );
    const [spent] = await rows();
    expect(spent?.successor?.toString('latin1')).not.toContain(data.refreshToken);
    const cleanUp = () => platform.runJob('refresh-token-successors');
    await cleanUp();
    expect(await rows()).toEqual([spent]);
    await spentEarlier(user.id, 10);
    await cleanUp();
    expect(await rows()).toEqual([{ successor: null }]);
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
