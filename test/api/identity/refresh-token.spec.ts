import { SECOND_MS } from '../../../src/common/durations.js';
import { changeSealed } from '../../fixtures/sealed-rows.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('A refresh token', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  const signIn = async (email: string) => {
    const jwt = await platform.outside.providers.identity.token({ email });
    return (await platform.as({ token: jwt }).post('/api/auth/idp/login')).data;
  };
  const refresh = (refreshToken: unknown) => platform.as(null).post('/api/auth/refresh', { refreshToken });
  const profileCode = async (token: string) =>
    (await platform.as({ token }).get('/api/auth/user/profile')).code;

  /** Moves the use of a user's refresh tokens into the past. The database's clock measures how long ago it was. */
  const backdateUse = (id: string, seconds: number) =>
    changeSealed(platform.dataSource, 'refresh_token', ['subjectId', id], ({ spentAt }) => ({
      spentAt: spentAt && new Date(spentAt.getTime() - seconds * SECOND_MS),
    }));

  it('is exchanged for a new pair', async () => {
    const first = await signIn('ann@example.org');
    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    expect(second.data).toMatchObject({ expiresIn: 86400, tokenType: 'Bearer' });
    expect(await profileCode(second.data.token)).toBeUndefined();
    expect((await refresh(second.data.refreshToken)).status).toBe(200);
  });

  it('returns the same successor for ten seconds, even if the successor was used', async () => {
    // Two tabs may refresh at the same moment, and a response can be lost (DEC-14).
    // Repeated, because on a busy machine the steps may take longer than the one second that `backdateUse` leaves.
    await eventually(async () => {
      const first = await signIn('again@example.org');
      const second = await refresh(first.refreshToken);
      await refresh(second.data.refreshToken);
      await backdateUse(first.user.id, 9);
      const again = await refresh(first.refreshToken);
      expect([again.status, again.data?.refreshToken]).toEqual([200, second.data.refreshToken]);
      expect(again.data.token).not.toBe(second.data.token);
      for (const { data } of [second, again]) expect(await profileCode(data.token)).toBeUndefined();
    });
  });

  it('has one successor when it is used concurrently [SEC-108]', async () => {
    const { refreshToken } = await signIn('race@example.org');
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(replies.map(({ data }) => data.refreshToken)).size).toBe(1);
    expect((await refresh(replies[0]?.data.refreshToken)).status).toBe(200);
  });

  it('revokes only its family when it is used again after ten seconds', async () => {
    const stolen = await signIn('bob@example.org');
    const elsewhere = await signIn('bob@example.org');
    const thief = await refresh(stolen.refreshToken);
    await backdateUse(stolen.user.id, 10);
    const owner = await refresh(stolen.refreshToken);
    expect([owner.status, owner.code]).toEqual([401, 'REFRESH_TOKEN_REVOKED']);
    expect((await refresh(thief.data.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
    await eventually(async () => expect(await profileCode(thief.data.token)).toBe('TOKEN_INVALID'));
    expect(await profileCode(elsewhere.token)).toBeUndefined();
  });

  it('returns no successor after its family was revoked', async () => {
    const first = await signIn('ended@example.org');
    const second = await refresh(first.refreshToken);
    await platform.as(second.data).post('/api/auth/logout');
    expect((await refresh(first.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
  });

  it('stores its successor encrypted and only as long as it is returned', async () => {
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
    await backdateUse(user.id, 10);
    await cleanUp();
    expect(await rows()).toEqual([{ successor: null }]);
  });

  it('is revoked by logout [SEC-110]', async () => {
    const pair = await signIn('eve@example.org');
    await platform.as(pair).post('/api/auth/logout');
    expect((await refresh(pair.refreshToken)).code).toBe('REFRESH_TOKEN_REVOKED');
  });

  it('of a user is invalid on the admins’ route, and the reverse', async () => {
    const user = await signIn('eve@example.org');
    const admin = await signIn('admin@example.com');
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
  ])('is rejected when it is %s', async (_what, token, status, code) => {
    const reply = await refresh(token);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });
});
