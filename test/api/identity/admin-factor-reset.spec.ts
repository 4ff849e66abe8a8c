import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import { AdminSignIns, challengeOf } from '../../fixtures/admin-sign-ins.js';
import { listAdmin } from '../../fixtures/listed-admins.js';
import { MailScenario } from '../../fixtures/mail-scenario.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { DAY_MS } from '../../../src/common/durations.js';
import { refusalOf } from '../../harness/http-client.js';
import type { TestPlatform } from '../../harness/platform.js';

const RESET = '/api/admin/factors/reset';

let scenario: MailScenario;
let platform: TestPlatform;
let approvals: ApprovalSteps;
let admin: TestAdmin;

beforeAll(async () => {
  scenario = await MailScenario.start();
  ({ platform } = scenario);
  approvals = await approvalSteps(platform);
  admin = await platform.given.admin();
});
afterAll(() => scenario?.stop());

const reset = (email: string, by = admin) => platform.as(by).post(RESET, { email, reason: 'Lost phone' });

/** A change that waits for a second admin. */
async function pendingChange(by: TestAdmin): Promise<string> {
  const { id } = await platform.given.user();
  const body = { email: `renamed-${id}@example.org`, reason: 'She asked' };
  return (await platform.as(by).put(`/api/admin/users/${id}`, body)).data.id;
}

describe('A reset of the second factors of an admin', () => {
  it('needs two other admins, ends the sessions and is mailed [SEC-557]', async () => {
    const signIns = await AdminSignIns.of(platform);
    const { user: owner } = await signIns.addTotp();
    expect(refusalOf(await reset(signIns.email, owner))).toEqual([
      'FOUR_EYES_REQUIRED',
      { reason: 'same-person' },
    ]);
    const requested = await reset(signIns.email);
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'admin.factor-reset',
        subject: { type: 'admin', id: signIns.email },
        reason: 'Lost phone',
      },
    });
    challengeOf(await signIns.byPassword()); // nothing has changed yet
    expect((await approvals.approve(requested.data.id, admin)).code).toBe('FOUR_EYES_REQUIRED');
    expect((await approvals.approve(requested.data.id)).data.status).toBe('approved');
    expect((await platform.as(owner).get('/api/admin/auth/verify')).code).toBe('TOKEN_INVALID');
    expect((await signIns.byPassword()).status).toBe(200);
    await scenario.sendDueMails();
    expect(scenario.subjectsTo(signIns)).toContain('Second factors of your admin account reset');
  });

  it('cannot be requested by the owner of the factors, for an address that no admin has, or for an admin without a factor', async () => {
    expect(refusalOf(await reset(admin.email))).toEqual(['FOUR_EYES_REQUIRED', { reason: 'same-person' }]);
    expect((await reset('nobody@example.org')).code).toBe('VALIDATION_ERROR');
    expect((await reset((await AdminSignIns.of(platform)).email)).code).toBe('INVALID_STATE');
  });

  it('cannot be approved by the owner of the factors, who still has a session and a factor', async () => {
    const signIns = await AdminSignIns.of(platform);
    const app = await signIns.addTotp();
    const { id } = (await reset(signIns.email)).data;
    const token = await app.stepUp('approval.approve', { id });
    const path = `/api/admin/approvals/${id}/approve`;
    const reply = await platform.as(app.user).post(path, {}, { headers: { 'x-step-up': token } });
    expect(reply.data).toMatchObject({ status: 'failed', failure: { code: 'FOUR_EYES_REQUIRED' } });
    challengeOf(await signIns.byPassword());
  });

  it('keeps the owner of the factors and the two admins who reset them from approving each other’s requests for thirty days', async () => {
    const signIns = await AdminSignIns.of(platform);
    await signIns.addTotp();
    await approvals.carryOut(reset(signIns.email));
    const owner = await signIns.session();
    const changeOfAdmin = await pendingChange(admin);
    const attempts: [change: string, by: TestAdmin][] = [
      [changeOfAdmin, owner],
      [await pendingChange(owner), admin],
      [await pendingChange(owner), approvals.second],
    ];
    for (const [id, by] of attempts)
      expect(refusalOf(await approvals.approve(id, by))).toEqual([
        'FOUR_EYES_REQUIRED',
        { reason: 'password-set-by-other' },
      ]);
    await listAdmin(platform, 'uninvolved@example.com');
    const uninvolved = await platform.given.admin('uninvolved');
    expect((await approvals.approve(changeOfAdmin, uninvolved)).data.status).toBe('approved');
    platform.clock.advance(31 * DAY_MS);
    const later = await pendingChange(admin);
    expect((await approvals.approve(later, owner)).data.status).toBe('approved');
  });
});
