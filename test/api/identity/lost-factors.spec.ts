import { HOUR_MS } from '../../../src/common/durations.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestUser } from '../../fixtures/given.js';
import { ageFactors, LOCK, LOCK_BY_LINK, lockAccount, lockTokenOf, UNLOCK } from '../../fixtures/locks.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import { addPasskey, TotpApp } from '../../fixtures/step-ups.js';
import { DESTINATION, UNKNOWN_ID, USER_WITHDRAWALS } from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';

const WITHDRAWAL = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
const REASON = { reason: 'She has shown her passport' };

describe('A user who has lost the second factor', () => {
  let scenario: MailScenario;
  let approvals: ApprovalSteps;

  beforeAll(async () => {
    scenario = await MailScenario.start();
    approvals = await approvalSteps(scenario.platform);
  });
  afterAll(() => scenario?.stop());

  const as = (user: { token: string }) => scenario.platform.as(user);
  const asAdmin = () => as(scenario.steps.admin);
  const stepUp = (token: string) => ({ headers: { 'x-step-up': token } });
  const withdraw = (user: TestUser, token?: string) =>
    as(user).post(USER_WITHDRAWALS, WITHDRAWAL, token === undefined ? {} : stepUp(token));
  const signInAgain = async (user: TestUser): Promise<TestUser> => scenario.platform.given.user(user.email);
  const expectHold = ({ status, code, body }: Reply, reason: string) =>
    expect([status, code, body.error.details]).toEqual([
      422,
      'SECURITY_HOLD',
      { until: expect.any(String), reason },
    ]);
  const waitForEndOfHold = () => scenario.platform.clock.advance(24 * HOUR_MS);
  const subjectsOfNewMails = async (user: TestUser): Promise<string[]> => {
    await scenario.sendDueMails();
    return scenario.subjectsTo(user);
  };
  async function userWithCodes(): Promise<{ ann: TestUser; app: TotpApp }> {
    const ann = await scenario.userWithBalance();
    const app = await TotpApp.register(scenario.platform, ann);
    await scenario.forgetMailsOf(ann);
    return { ann, app };
  }

  it('steps up by a recovery code: a hold begins and is mailed, and afterwards the withdrawal is made', async () => {
    const { ann, app } = await userWithCodes();
    const token = await app.stepUpByRecoveryCode('withdrawal.request', WITHDRAWAL);
    expectHold(await withdraw(ann, token), 'recovery-code');
    expect(await subjectsOfNewMails(ann)).toEqual(['Recovery code used']);
    waitForEndOfHold();
    expect((await withdraw(ann, token)).status).toBe(201);
  });

  it('replaces the lost factor by a recovery code, which is mailed at every step', async () => {
    const { ann, app } = await userWithCodes();
    const adding = await app.stepUpByRecoveryCode('factor.add', { kind: 'passkey' });
    expect((await addPasskey(scenario.platform, ann, adding)).added.status).toBe(201);
    const removing = await app.stepUpByRecoveryCode('factor.remove', { kind: 'totp' });
    expect((await as(ann).delete('/api/user/totp', undefined, stepUp(removing))).status).toBe(200);
    expect((await as(ann).get('/api/user/factors')).data).toMatchObject({
      passkeys: [{ name: 'Laptop' }],
      totpSince: null,
      recoveryCodesLeft: 8,
    });
    expect((await subjectsOfNewMails(ann)).sort()).toEqual([
      'Recovery code used',
      'Second factor of your account changed',
      'Second factor removed from your account',
    ]);
    expect((await as(ann).get('/api/user/limits')).data.hold).not.toBeNull();
  });

  it('unlocks the account by a recovery code: the lock ends, and a hold begins', async () => {
    const { ann, app } = await userWithCodes();
    await ageFactors(scenario.platform, ann.id);
    await as(ann).post(LOCK);
    const token = await app.stepUpByRecoveryCode('account.unlock', {});
    expect((await as(ann).post(UNLOCK, {}, stepUp(token))).data).toEqual({ locked: null });
    expect((await as(ann).get('/api/user/limits')).data).toMatchObject({
      locked: null,
      hold: { reason: 'recovery-code' },
    });
    expect((await subjectsOfNewMails(ann)).sort()).toEqual([
      'Recovery code used',
      'Your account is locked',
      'Your account is unlocked',
    ]);
  });

  it('asks two admins, who remove all factors: sessions end, a hold begins and is mailed [SEC-548]', async () => {
    const { ann, app } = await userWithCodes();
    const passkey = await app.stepUp('factor.add', { kind: 'passkey' });
    await addPasskey(scenario.platform, ann, passkey);
    await scenario.forgetMailsOf(ann);
    const stepUpBefore = stepUp(await app.stepUp('recovery-codes.new', {}));
    const path = `${ADMIN_USERS}/${ann.id}/factors/reset`;
    const requested = await asAdmin().post(path, REASON);
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'user.factor-reset',
        subject: { type: 'user', id: ann.id },
        change: { before: { passkeys: 1, totp: true }, after: { passkeys: 0, totp: false } },
        ...REASON,
      },
    });
    expect((await approvals.approve(requested.data.id, scenario.steps.admin)).code).toBe(
      'FOUR_EYES_REQUIRED',
    );
    expect((await as(ann).get('/api/user/factors')).data.passkeys).toHaveLength(1);
    await approvals.carryOut(requested);
    expect((await as(ann).get('/api/user/factors')).code).toBe('TOKEN_INVALID');
    const again = await signInAgain(ann);
    expect((await as(again).get('/api/user/factors')).data).toEqual({
      passkeys: [],
      totpSince: null,
      recoveryCodesLeft: 0,
    });
    expectHold(await withdraw(again), 'factor-reset');
    expect(await subjectsOfNewMails(ann)).toContain('All second factors of your account removed');
    expect((await as(again).post('/api/user/recovery-codes', {}, stepUpBefore)).code).toBe('INVALID_STATE'); // there is no factor left
    waitForEndOfHold();
    expect((await withdraw(again)).status).toBe(201);
    const { data } = await asAdmin().get(`/api/admin/audit?subjectType=user&subjectId=${ann.id}`);
    expect(data).toContainEqual(
      expect.objectContaining({
        action: 'user.factor-reset',
        admin: scenario.steps.admin.email,
        before: { passkeys: 1, totp: true },
        after: { passkeys: 0, totp: false, approvedBy: approvals.second.email },
      }),
    );
  });

  it('asks two admins to unlock the account, after they have removed the factors', async () => {
    const { ann } = await userWithCodes();
    await as(ann).put('/api/user/profile', { language: 'de' });
    await lockAccount(scenario.platform, ann.id);
    await approvals.carryOut(asAdmin().post(`${ADMIN_USERS}/${ann.id}/factors/reset`, REASON));
    const again = await signInAgain(ann);
    expect((await withdraw(again)).code).toBe('ACCOUNT_LOCKED');
    const requested = await asAdmin().post(`${ADMIN_USERS}/${ann.id}/unlock`, REASON);
    expect(requested).toMatchObject({
      status: 202,
      data: { kind: 'user.unlock', change: { before: { lock: { by: 'session' } }, after: { lock: null } } },
    });
    expect((await approvals.approve(requested.data.id, scenario.steps.admin)).code).toBe(
      'FOUR_EYES_REQUIRED',
    );
    await approvals.carryOut(requested);
    expectHold(await withdraw(again), 'factor-reset');
    expect(await subjectsOfNewMails(ann)).toContain('Ihr Konto ist entsperrt');
    waitForEndOfHold();
    expect((await withdraw(again)).status).toBe(201);
  });

  it('stays locked if the account is locked again while two admins decide', async () => {
    const { ann } = await userWithCodes();
    await ageFactors(scenario.platform, ann.id);
    await as(ann).post(LOCK);
    const requested = await asAdmin().post(`${ADMIN_USERS}/${ann.id}/unlock`, REASON);
    scenario.platform.clock.advance(1000);
    expect((await asAdmin().post(`${ADMIN_USERS}/${ann.id}/lock`, REASON)).data).toMatchObject({
      id: ann.id,
      locked: { by: 'admin', unlock: 'admins' },
    });
    expect((await approvals.approve(requested.data.id)).data).toMatchObject({
      status: 'failed',
      failure: { code: 'INVALID_STATE' },
    });
    const again = await signInAgain(ann);
    expect((await withdraw(again)).code).toBe('ACCOUNT_LOCKED');
    await approvals.carryOut(asAdmin().post(`${ADMIN_USERS}/${ann.id}/unlock`, REASON));
    expect((await as(again).get('/api/user/limits')).data.locked).toBeNull();
  });

  it('locks the account again by the link of the mail about its unlocking', async () => {
    const { ann } = await userWithCodes();
    await lockAccount(scenario.platform, ann.id);
    await approvals.carryOut(asAdmin().post(`${ADMIN_USERS}/${ann.id}/unlock`, REASON));
    await scenario.sendDueMails();
    const mail = scenario.mailsTo(ann).find(({ subject }) => subject === 'Your account is unlocked');
    const { data } = await scenario.platform.as(null).post(LOCK_BY_LINK, { token: lockTokenOf(mail) });
    expect(data.locked).toMatchObject({ by: 'link' });
  });

  it('is mailed the reason of an admin who locks the account', async () => {
    const { ann } = await userWithCodes();
    await asAdmin().post(`${ADMIN_USERS}/${ann.id}/lock`, REASON);
    await scenario.sendDueMails();
    const [mail] = scenario.mailsTo(ann);
    expect([mail?.subject, mail?.text]).toEqual([
      'Your account is locked',
      expect.stringContaining(`Reason: ${REASON.reason}`),
    ]);
  });

  it.each(['lock', 'unlock', 'factors/reset'])(
    'is not changed by the route %s if unknown, without a reason, or by an admin without the permission',
    async (action) => {
      const { ann } = await userWithCodes();
      expect((await asAdmin().post(`${ADMIN_USERS}/${UNKNOWN_ID}/${action}`, REASON)).code).toBe(
        'USER_NOT_FOUND',
      );
      expect((await asAdmin().post(`${ADMIN_USERS}/${ann.id}/${action}`, {})).code).toBe('REASON_REQUIRED');
      const readonly = await scenario.platform.given.admin('readonly');
      expect((await as(readonly).post(`${ADMIN_USERS}/${ann.id}/${action}`, REASON)).code).toBe(
        'PERMISSION_DENIED',
      );
    },
  );

  it('cannot be unlocked without a lock, and one request for a reset is pending at a time', async () => {
    const { ann } = await userWithCodes();
    expect((await asAdmin().post(`${ADMIN_USERS}/${ann.id}/unlock`, REASON)).code).toBe('INVALID_STATE');
    const path = `${ADMIN_USERS}/${ann.id}/factors/reset`;
    expect((await asAdmin().post(path, REASON)).status).toBe(202);
    const other = await as(approvals.second).post(path, REASON);
    expect(other.code).toBe('INVALID_STATE');
  });
});
