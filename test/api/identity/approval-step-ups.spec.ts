import { givenAdminWithTotp, type TotpApp } from '../../fixtures/step-ups.js';
import { APPROVALS } from '../../fixtures/approvals.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { ADMIN_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const LARGE = '1000.00';
const REASON = { reason: 'The user asked for it' };

describe('With FOUR_EYES=off', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let app: TotpApp<TestAdmin>;

  beforeAll(async () => {
    const settings = { FOUR_EYES: 'off', DEPOSIT_POLL_SECONDS: '3600', WITHDRAWAL_FOUR_EYES_ABOVE: LARGE };
    platform = await startPlatform({ settings, screening: true });
    steps = await withdrawalSteps(platform);
  });
  beforeEach(async () => {
    app = await givenAdminWithTotp(platform); // one for each test: an app has three codes at any time
  });
  afterAll(() => platform?.stop());

  /** Sends a request of the admin who has a second factor, with the token of a step-up. */
  const post = (path: string, token?: string) =>
    platform.as(app.user).post(path, REASON, { headers: token ? { 'x-step-up': token } : {} });
  const reject = (id: string, token?: string) =>
    platform
      .as(app.user)
      .put(`${ADMIN_WITHDRAWALS}/${id}/reject`, REASON, { headers: token ? { 'x-step-up': token } : {} });
  const statusOf = async (id: string) => (await steps.detail(id)).status as string;

  /** A pending withdrawal that an operator has taken and put back. */
  async function givenReturned(amount?: string): Promise<string> {
    const { id } = await steps.createPending(amount);
    const taker = await platform.given.admin('operator');
    if (amount === LARGE) expect((await steps.approve(id)).status).toBe(200);
    expect((await steps.take(id, taker)).status).toBe(200);
    const reply = await platform.as(taker).post(`${ADMIN_WITHDRAWALS}/${id}/return`, REASON);
    expect([reply.status, reply.data.status]).toEqual([200, 'pending']);
    return id;
  }

  it.each([
    ['in processing', async () => (await steps.createProcessing()).id],
    ['that was returned', () => givenReturned()],
  ])('the rejection of a withdrawal %s needs a step-up for this withdrawal [SEC-814]', async (_, create) => {
    const id = await create();
    const before = await statusOf(id);
    expect((await reject(id)).body.error).toMatchObject({
      code: 'STEP_UP_REQUIRED',
      details: { action: 'withdrawal.reject', methods: ['totp', 'recovery-code'] },
    });
    const other = await app.stepUp('withdrawal.reject', { id: (await steps.createPending()).id });
    expect((await reject(id, other)).body.error).toMatchObject({
      code: 'STEP_UP_INVALID',
      details: { reason: 'other_details' },
    });
    expect(await statusOf(id)).toBe(before);
    expect((await reject(id, await app.stepUp('withdrawal.reject', { id }))).data.status).toBe('rejected');
  });

  it('the rejection of a pending withdrawal needs no step-up', async () => {
    const { id } = await steps.createPending();
    expect((await reject(id)).data.status).toBe('rejected');
  });

  it('a batch rejects what needs no step-up, and names each withdrawal that needs one', async () => {
    const pending = await steps.createPending();
    const processing = await steps.createProcessing();
    const body = { ids: [processing.id, pending.id], ...REASON };
    const { status, data } = await platform.as(app.user).post(`${ADMIN_WITHDRAWALS}/bulk-reject`, body);
    expect([status, data.rejected]).toEqual([200, [pending.id]]);
    expect(data.failed).toMatchObject([{ id: processing.id, code: 'STEP_UP_REQUIRED' }]);
    expect(await statusOf(processing.id)).toBe('processing');
  });

  it('a returned withdrawal that waits for approval is not rejected by the route of approvals without a step-up', async () => {
    const id = await givenReturned(LARGE);
    expect((await post(`${APPROVALS}/${id}/reject`)).code).toBe('STEP_UP_REQUIRED');
    expect(await statusOf(id)).toBe('pending');
  });

  it.each(['users', 'withdrawals'] as const)(
    'the acceptance of a review by /api/admin/%s needs a step-up for this record [SEC-815]',
    async (resource) => {
      const screening = new ScreeningSteps(platform, steps);
      const user = await screening.user('review');
      const withdrawalId = await screening.withdrawal(user);
      await screening.waitForAnswers();
      const [id, otherId] = resource === 'users' ? [user.id, withdrawalId] : [withdrawalId, user.id];
      const accept = (token?: string) => post(`/api/admin/${resource}/${id}/screening/accept`, token);
      expect((await accept()).body.error).toMatchObject({
        code: 'STEP_UP_REQUIRED',
        details: { action: 'screening.accept' },
      });
      const other = await app.stepUp('screening.accept', { id: otherId });
      expect((await accept(other)).code).toBe('STEP_UP_INVALID');
      expect((await accept(await app.stepUp('screening.accept', { id }))).data).toMatchObject({ id });
    },
  );
});
