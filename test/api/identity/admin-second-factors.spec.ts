import { AdminDirectoryService } from '../../../src/modules/identity/admins/admin-directory.service.js';
import { approvalRequests } from '../../fixtures/approval-requests.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { RECONCILIATION_BREAKS } from '../../fixtures/reconciliations.js';
import { addPasskey, givenAdminWithTotp, type TotpApp } from '../../fixtures/step-ups.js';
import { treasurySteps, type TreasurySteps } from '../../fixtures/treasury.js';
import {
  ADMIN_WITHDRAWALS,
  unknownHash,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { refusalOf, type Reply } from '../../harness/http-client.js';

const LARGE = '1000.00';

let platform: TestPlatform;
let steps: WithdrawalSteps;
let approvals: ApprovalSteps;
let treasury: TreasurySteps;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { DEPOSIT_POLL_SECONDS: '3600', WITHDRAWAL_FOUR_EYES_ABOVE: LARGE },
  });
  steps = await withdrawalSteps(platform);
  approvals = await approvalSteps(platform);
  treasury = await treasurySteps(platform);
});
afterAll(() => platform?.stop());

type Call = (token?: string) => Promise<Reply>;
interface Action {
  readonly action: string;
  readonly details: object;
  readonly others: object;
  readonly call: Call;
}

/** Prepares an action of `admin` that needs a step-up; `others` are details of another record. */
const ACTIONS: Record<string, (admin: TestAdmin) => Promise<Action>> = {
  'complete a withdrawal': async (admin) => {
    const { id } = await steps.createProcessing();
    const txHash = unknownHash();
    const spelledOtherwise = txHash.toUpperCase().slice(2); // the same hash
    const path = `${ADMIN_WITHDRAWALS}/${id}/complete`;
    const others = { id, txHash: unknownHash() };
    const call = callOf(admin, 'POST', path, { txHash });
    return {
      action: 'withdrawal.complete',
      details: { id, txHash: spelledOtherwise },
      others,
      call,
    };
  },
  'approve a withdrawal of the amount that needs four eyes': async (admin) => {
    const { id } = await steps.createPending(LARGE);
    const call = callOf(admin, 'PUT', `${ADMIN_WITHDRAWALS}/${id}/approve`);
    return { action: 'withdrawal.approve', details: { id }, others: await anotherWithdrawal(), call };
  },
  'approve a withdrawal in the list of approvals': async (admin) => {
    const { id } = await steps.createPending(LARGE);
    const call = callOf(admin, 'POST', `/api/admin/approvals/${id}/approve`);
    return { action: 'approval.approve', details: { id }, others: await anotherWithdrawal(), call };
  },
  'approve a change of another admin': async (admin) => {
    const user = await platform.given.user();
    const email = `renamed-${user.id}@example.org`;
    const { data } = await platform
      .as(approvals.second)
      .put(`/api/admin/users/${user.id}`, { email, reason: 'She asked' });
    const call = callOf(admin, 'POST', `/api/admin/approvals/${data.id}/approve`);
    return { action: 'approval.approve', details: { id: data.id }, others: { id: user.id }, call };
  },
  'approve a manual transaction': async (admin) => {
    const { id: userId } = await platform.given.user();
    const { data } = await treasury.create({ type: 'deposit', userId, amount: '10.00' }, approvals.second);
    const call = callOf(admin, 'POST', `/api/admin/transactions/${data.id}/approve`);
    return { action: 'approval.approve', details: { id: data.id }, others: { id: userId }, call };
  },
};

const anotherWithdrawal = async () => ({ id: (await steps.createPending()).id });

function callOf(admin: TestAdmin, method: string, path: string, body?: object): Call {
  return (token) =>
    platform
      .as(admin)
      .call(method, path, body, { headers: token === undefined ? {} : { 'x-step-up': token } });
}

describe.each(Object.keys(ACTIONS))('An admin with a second factor who wants to %s', (name) => {
  let app: TotpApp<TestAdmin>;
  let action: Action;
  beforeEach(async () => {
    app = await givenAdminWithTotp(platform);
    action = await (ACTIONS[name] as (admin: TestAdmin) => Promise<Action>)(app.user);
  });

  it('needs a step-up for it, with its details [SEC-554]', async () => {
    expect(refusalOf(await action.call())).toEqual([
      'STEP_UP_REQUIRED',
      { action: action.action, methods: ['totp', 'recovery-code'] },
    ]);
    const other = await app.stepUp(action.action, action.others);
    expect(refusalOf(await action.call(other))).toEqual(['STEP_UP_INVALID', { reason: 'other_details' }]);
    const token = await app.stepUp(action.action, action.details);
    expect((await action.call(token)).status).toBe(200);
  });

  it('gets one effect for two requests at once with one token [SEC-555]', async () => {
    const token = await app.stepUp(action.action, action.details);
    const replies = await Promise.all([action.call(token), action.call(token)]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('An admin with a second factor', () => {
  let app: TotpApp<TestAdmin>;
  beforeEach(async () => {
    app = await givenAdminWithTotp(platform);
  });
  const as = () => platform.as(app.user);
  const withToken = (token: string) => ({ headers: { 'x-step-up': token } });

  it('needs a step-up to resume withdrawals, to continue the log and to reset the factors of others', async () => {
    await platform.as(approvals.second).post('/api/admin/integrity/pause', { reason: 'Something is odd' });
    const { email } = (await givenAdminWithTotp(platform)).user;
    const calls: [string, object, string, object][] = [
      ['integrity.resume', {}, '/api/admin/integrity/resume', { reason: 'It was nothing' }],
      ['factor.reset', { id: email }, '/api/admin/factors/reset', { email, reason: 'Lost phone' }],
    ];
    for (const [action, details, path, body] of calls) {
      expect(refusalOf(await as().post(path, body))).toEqual([
        'STEP_UP_REQUIRED',
        { action, methods: ['totp', 'recovery-code'] },
      ]);
      const token = await app.stepUp(action, details);
      const requested = await as().post(path, body, withToken(token));
      expect(requested.status).toBe(202);
      expect(refusalOf(await as().post(path, body, withToken(token)))).toEqual([
        'STEP_UP_INVALID',
        { reason: 'used' },
      ]);
      await approvals.carryOut(requested);
    }
    // As after the restore of a backup: the log is not continued before two admins permit it.
    await platform.dataSource.query('update proof_log set restored_at = now()');
    const path = '/api/admin/proofs/continue';
    expect((await as().post(path, { reason: 'None was published' })).code).toBe('STEP_UP_REQUIRED');
    await platform.dataSource.query('update proof_log set restored_at = null');
  });

  it('needs a step-up to confirm the resolution of a break in a reconciliation', async () => {
    const { approvalId: id } = await approvalRequests(treasury).break(treasury.admin);
    const path = `${RECONCILIATION_BREAKS}/${id}/confirm`;
    expect((await as().post(path)).code).toBe('STEP_UP_REQUIRED');
    const token = await app.stepUp('approval.approve', { id });
    expect((await as().post(path, undefined, withToken(token))).status).toBe(200);
  });

  it('approves a withdrawal below WITHDRAWAL_FOUR_EYES_ABOVE without a step-up', async () => {
    const { id } = await steps.createPending('10.00');
    expect((await as().put(`${ADMIN_WITHDRAWALS}/${id}/approve`)).status).toBe(200);
  });

  it('keeps the token when the action is refused', async () => {
    const { id } = await steps.createPending(); // not taken, so that it cannot be completed
    const txHash = unknownHash();
    const token = await app.stepUp('withdrawal.complete', { id, txHash });
    const complete = () => as().post(`${ADMIN_WITHDRAWALS}/${id}/complete`, { txHash }, withToken(token));
    expect((await complete()).code).toBe('INVALID_STATE');
    await steps.take(id);
    expect((await complete()).status).toBe(200);
  });

  it('cannot ask for a step-up for an action of users, nor a user for an action of admins', async () => {
    const withdrawal = { action: 'withdrawal.request', details: {} };
    expect((await as().post('/api/admin/step-up', withdrawal)).code).toBe('VALIDATION_ERROR');
    const user = await platform.given.user();
    const resumption = { action: 'integrity.resume', details: {} };
    expect((await platform.as(user).post('/api/user/step-up', resumption)).code).toBe('VALIDATION_ERROR');
  });

  it('cannot use the token of a step-up of another admin', async () => {
    const details = { id: (await steps.createPending(LARGE)).id };
    const other = await givenAdminWithTotp(platform);
    const token = await other.stepUp('withdrawal.approve', details);
    const reply = await as().put(`${ADMIN_WITHDRAWALS}/${details.id}/approve`, undefined, withToken(token));
    expect(refusalOf(reply)).toEqual(['STEP_UP_INVALID', { reason: 'other_session' }]);
  });

  it('cannot use a code twice, and is refused after five wrong answers', async () => {
    const stepUp = { action: 'integrity.resume', details: {} };
    const { id } = (await as().post('/api/admin/step-up', stepUp)).data;
    const codes = [];
    for (let time = 0; time < 6; time++)
      codes.push((await as().post(`/api/admin/step-up/${id}/verify`, { code: app.usedCode() })).code);
    expect(codes).toEqual([...Array<string>(5).fill('CODE_INVALID'), 'TOO_MANY_ATTEMPTS']);
  });

  it('changes the factors by a step-up, and every change is in the audit log', async () => {
    const more = await addPasskey(
      platform,
      app.user,
      await app.stepUp('factor.add', { kind: 'passkey' }),
      'admin',
    );
    expect([more.added.status, more.added.data.recoveryCodes]).toEqual([201, null]);
    const details = { kind: 'passkey', id: more.added.data.id };
    const path = `/api/admin/passkeys/${more.added.data.id}`;
    expect((await as().delete(path)).code).toBe('STEP_UP_REQUIRED');
    const token = await app.stepUp('factor.remove', details);
    expect((await as().delete(path, undefined, withToken(token))).data.passkeys).toEqual([]);
    const entries = await platform.dataSource.query(
      'select action, actor, after from audit_entry where subject_id = $1 order by at, id',
      [app.user.email],
    );
    expect(
      entries.map(({ action, actor, after }: Record<string, any>) => [action, actor, after.factor]),
    ).toEqual([
      ['admin.factor-added', app.user.email, 'totp'],
      ['admin.factor-added', app.user.email, 'passkey'],
      ['admin.factor-removed', app.user.email, 'passkey'],
    ]);
  });

  it('makes new recovery codes, and removes the codes of the app', async () => {
    const renewed = await as().post(
      '/api/admin/recovery-codes',
      undefined,
      withToken(await app.stepUp('recovery-codes.new', {})),
    );
    expect(renewed.data.recoveryCodes).toHaveLength(10);
    const removal = { action: 'factor.remove', details: { kind: 'totp' } };
    const { id } = (await as().post('/api/admin/step-up', removal)).data;
    const [recoveryCode] = renewed.data.recoveryCodes;
    const { token } = (await as().post(`/api/admin/step-up/${id}/verify`, { recoveryCode })).data;
    expect((await as().delete('/api/admin/totp', undefined, withToken(token))).data).toEqual({
      passkeys: [],
      totpSince: null,
      recoveryCodesLeft: 0,
    });
    expect((await as().get('/api/admin/factors')).data.recoveryCodesLeft).toBe(0);
  });
});

describe('Somebody who can write the table of one-time codes', () => {
  const idOf = ({ email }: TestAdmin) => platform.app.get(AdminDirectoryService).findAdminByEmail(email)?.id;

  it('cannot step up by copying the secret of another admin, or switch step-ups off by deleting a row', async () => {
    const app = await givenAdminWithTotp(platform);
    const stepUp = { action: 'integrity.resume', details: {} };
    const { id } = (await platform.as(app.user).post('/api/admin/step-up', stepUp)).data;
    const subjectId = idOf(app.user);
    const other = await givenAdminWithTotp(platform);
    await platform.dataSource.query(
      `update totp_secret set secret = other.secret
         from totp_secret as other where totp_secret.subject_id = $1 and other.subject_id = $2`,
      [subjectId, idOf(other.user)],
    );
    const verified = await platform
      .as(app.user)
      .post(`/api/admin/step-up/${id}/verify`, { code: other.nextCode() });
    expect(verified.code).toBe('CODE_INVALID');
    await platform.dataSource.query('delete from totp_secret where subject_id = $1', [subjectId]);
    expect(
      refusalOf(await platform.as(app.user).post('/api/admin/proofs/continue', { reason: 'No' })),
    ).toEqual(['STEP_UP_REQUIRED', { action: 'log.continue', methods: ['recovery-code'] }]);
  });
});
