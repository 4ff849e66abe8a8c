import { DAY_MS } from '../../../src/common/durations.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const REGISTER = '/api/admin/auth/register';
const PASSWORD = 'a-password-of-twelve';
const OWN_PASSWORD = 'another-password-of-mine';
const DAYS_30 = 30 * DAY_MS;

describe('POST /api/admin/auth/register', () => {
  let platform: TestPlatform;
  let approvals: ApprovalSteps;
  let treasury: TreasurySteps;
  let admin: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    treasury = await treasurySteps(platform);
    approvals = await approvalSteps(platform);
    admin = await platform.given.admin();
  });
  afterAll(() => platform?.stop());

  let colleagues = 0;
  /** Lists a further admin without a password and returns the e-mail address. */
  async function listColleague(roles = ['admin']): Promise<string> {
    const email = `colleague-${++colleagues}@example.com`;
    await listAdmin(platform, email, roles);
    return email;
  }

  const register = (body: object, by: { token: string } = admin) => platform.as(by).post(REGISTER, body);
  const signIn = (email: string, password: string) =>
    platform.as(null).post('/api/admin/auth/login', { email, password });

  async function sessionOf(email: string, password: string): Promise<TestAdmin> {
    const { data } = await signIn(email, password);
    return { email, token: data.token };
  }

  /** Signs in by the identity provider. */
  const sessionByProvider = (email: string) => platform.given.admin(email.split('@')[0]);

  /** A colleague whose first password `admin` has set with the approval of `admin2`, in a session with that password. */
  async function colleagueWithGivenPassword(roles?: string[]): Promise<TestAdmin> {
    const email = await listColleague(roles);
    await approvals.carryOut(register({ email, password: PASSWORD }));
    return sessionOf(email, PASSWORD);
  }

  async function pendingDeposit(by = admin): Promise<string> {
    const { id: userId } = await platform.given.user();
    const { data } = await treasury.create({ type: 'deposit', userId, amount: '250000.00' }, by);
    return data.id;
  }

  it('sets the first password of a colleague only with the approval of a second admin [SEC-201]', async () => {
    const email = await listColleague();
    const requested = await register({ email, password: PASSWORD });
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'admin.password-set',
        status: 'pending',
        subject: { type: 'admin', id: email, label: email },
        change: { before: { hasPassword: false }, after: { hasPassword: true } },
        requestedBy: admin.email,
        decidedBy: null,
      },
    });
    expect(JSON.stringify(requested.body)).not.toContain('argon2');
    expect((await signIn(email, PASSWORD)).code).toBe('INVALID_CREDENTIALS');
    expect(await approvals.approve(requested.data.id, admin)).toMatchObject({
      status: 403,
      code: 'FOUR_EYES_REQUIRED',
      body: { error: { details: { reason: 'same-person' } } },
    });
    expect((await approvals.approve(requested.data.id)).data).toMatchObject({
      status: 'approved',
      decidedBy: approvals.second.email,
    });
    expect((await signIn(email, PASSWORD)).status).toBe(200);
    const [{ input }] = await platform.dataSource.query('select input from approval where id = $1', [
      requested.data.id,
    ]);
    expect(input).toBeNull(); // no hash stays in the record
  });

  it('does not let an admin approve a deposit of 250,000 as a colleague whose password the admin has set [SEC-202]', async () => {
    const colleague = await colleagueWithGivenPassword();
    const id = await pendingDeposit();
    const refused = { status: 403, code: 'FOUR_EYES_REQUIRED' };
    expect(await treasury.approve(id, colleague)).toMatchObject({
      ...refused,
      body: { error: { details: { reason: 'first-password' } } },
    });
    // The admin who knows the first password replaces it in the name of the colleague: the origin stays recorded.
    const changed = await register(
      { email: colleague.email, password: OWN_PASSWORD, currentPassword: PASSWORD },
      colleague,
    );
    expect(changed.status).toBe(201);
    expect(await treasury.approve(id, colleague)).toMatchObject({
      ...refused,
      body: { error: { details: { reason: 'password-set-by-other' } } },
    });
    expect((await approvals.approve(id, colleague)).code).toBe('FOUR_EYES_REQUIRED');
    // Neither can the colleague's request be approved by the admin who has set the password.
    const ofColleague = await pendingDeposit(colleague);
    expect(await treasury.approve(ofColleague, admin)).toMatchObject(refused);
    expect((await treasury.approve(ofColleague, approvals.second)).status).toBe(200);
    expect((await treasury.approve(id, approvals.second)).status).toBe(200);
  });

  it('lets a colleague approve requests of the admin who has set the first password 30 days after that, and not before', async () => {
    const colleague = await colleagueWithGivenPassword();
    await register({ email: colleague.email, password: OWN_PASSWORD, currentPassword: PASSWORD }, colleague);
    const id = await pendingDeposit();
    platform.clock.advance(DAYS_30 - 1);
    expect((await treasury.approve(id, colleague)).code).toBe('FOUR_EYES_REQUIRED');
    platform.clock.advance(1);
    expect((await treasury.approve(id, colleague)).status).toBe(200);
  });

  it('keeps an account from approving anything until its owner has replaced the first password', async () => {
    const colleague = await colleagueWithGivenPassword();
    const third = await platform.given.admin('admin2');
    const id = await pendingDeposit(third);
    expect((await treasury.approve(id, colleague)).code).toBe('FOUR_EYES_REQUIRED');
    expect((await treasury.reject(id, 'No', colleague)).status).toBe(200); // moves no money
    const other = await pendingDeposit(third);
    await register({ email: colleague.email, password: OWN_PASSWORD, currentPassword: PASSWORD }, colleague);
    expect((await treasury.approve(other, colleague)).status).toBe(200);
  });

  describe("for the caller's own account", () => {
    it('needs no current password in a session of the identity provider, and ends the other sessions', async () => {
      const colleague = await colleagueWithGivenPassword();
      const byProvider = await sessionByProvider(colleague.email);
      const { status } = await register({ email: colleague.email, password: OWN_PASSWORD }, byProvider);
      expect(status).toBe(201);
      const profile = (session: TestAdmin) => platform.as(session).get('/api/auth/admin/profile');
      expect((await profile(colleague)).code).toBe('TOKEN_INVALID');
      expect((await profile(byProvider)).status).toBe(200);
      expect((await signIn(colleague.email, PASSWORD)).code).toBe('INVALID_CREDENTIALS');
      expect((await signIn(colleague.email, OWN_PASSWORD)).status).toBe(200);
    });

    it('needs the current password in a session that a password has opened, also after a refresh', async () => {
      const email = await listColleague();
      await approvals.carryOut(register({ email, password: PASSWORD }));
      const { data } = await signIn(email, PASSWORD);
      const refreshed = await platform
        .as({ token: data.token })
        .post('/api/admin/auth/refresh', { refreshToken: data.refreshToken });
      for (const { token } of [data, refreshed.data]) {
        expect(await register({ email, password: OWN_PASSWORD }, { token })).toMatchObject({
          status: 400,
          code: 'MISSING_REQUIRED_FIELD',
        });
        expect(
          await register({ email, password: OWN_PASSWORD, currentPassword: 'wrong' }, { token }),
        ).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
      }
      const session = { token: refreshed.data.token };
      const changed = await register({ email, password: OWN_PASSWORD, currentPassword: PASSWORD }, session);
      expect(changed).toMatchObject({ status: 201, data: { email } });
    });

    it('is permitted to operators, who may not set the password of others', async () => {
      const operator = await colleagueWithGivenPassword(['operator']);
      expect((await register({ email: await listColleague(), password: PASSWORD }, operator)).code).toBe(
        'PERMISSION_DENIED',
      );
      const own = { email: operator.email.toUpperCase(), password: OWN_PASSWORD, currentPassword: PASSWORD };
      expect((await register(own, operator)).status).toBe(201);
    });
  });

  it('refuses an unlisted address, an admin with a password in ADMINS_FILE, and one who already has a password', async () => {
    const given = await colleagueWithGivenPassword();
    for (const email of ['stranger@example.com', 'admin2@example.com', 'admin@example.com', given.email])
      expect(await register({ email, password: PASSWORD })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('fails an approval if the account has got a password meanwhile', async () => {
    const email = await listColleague();
    const { data } = await register({ email, password: PASSWORD });
    const byProvider = await sessionByProvider(email);
    await register({ email, password: OWN_PASSWORD }, byProvider);
    expect(await approvals.approve(data.id)).toMatchObject({
      status: 200,
      data: { status: 'failed', failure: { code: 'FORBIDDEN' }, decidedBy: approvals.second.email },
    });
    expect((await signIn(email, OWN_PASSWORD)).status).toBe(200);
  });

  it('sets the password at once with FOUR_EYES=off', async () => {
    const alone = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    try {
      await listAdmin(alone, 'colleague@example.com');
      const by = await alone.given.admin();
      const body = { email: 'colleague@example.com', password: PASSWORD };
      expect(await alone.as(by).post(REGISTER, body)).toMatchObject({
        status: 201,
        data: { email: body.email },
      });
    } finally {
      await alone.stop();
    }
  });
});
