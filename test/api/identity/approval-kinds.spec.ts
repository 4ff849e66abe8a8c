import { HOUR_MS } from '../../../src/common/durations.js';
import { addDays, startOfDay } from '../../../src/common/days.js';
import { NavsService } from '../../../src/modules/investing/strategies/navs.service.js';
import { YieldReportsService } from '../../../src/modules/investing/strategies/yield-reports.service.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { approvalSteps, type ApprovalSteps } from '../../fixtures/approvals.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { startHold } from '../../fixtures/identities.js';
import { INVESTMENTS } from '../../fixtures/investments.js';
import { executeWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { ScreeningSteps } from '../../fixtures/screening.js';
import { UNKNOWN_ID, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const INTEGRITY = '/api/admin/integrity';
const FOUR_EYES = { status: 403, code: 'FOUR_EYES_REQUIRED' };

describe('The approval', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;
  let approvals: ApprovalSteps;
  let admin: TestAdmin;
  let operator: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform({
      settings: { DEPOSIT_POLL_SECONDS: '3600', LOG_SEAL_SECONDS: '3600' },
      screening: true,
    });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
    approvals = await approvalSteps(platform);
    admin = steps.admin;
    operator = await platform.given.admin('operator');
  });
  afterAll(() => platform?.stop());

  const expectFailed = (reply: Reply, message: RegExp) =>
    expect(reply).toMatchObject({
      status: 200,
      data: { status: 'failed', failure: { code: 'INVALID_STATE', message: expect.stringMatching(message) } },
    });

  describe.each(['withdrawal', 'user'] as const)('of an accepted review of a %s', (reviewed) => {
    /** A withdrawal of a user under review, and the request of the operator to accept it. */
    async function requestedAcceptance(): Promise<{ ann: TestUser; id: string; approvalId: string }> {
      const ann = await screening.user('review');
      const id = await screening.withdrawal(ann);
      const requested = await (reviewed === 'user'
        ? screening.acceptForUser(ann.id, 'A namesake', operator)
        : screening.acceptForWithdrawal(id, 'A namesake', operator));
      expect(requested).toMatchObject({
        status: 202,
        data: {
          kind: 'screening.accept',
          subject: { type: reviewed, id: reviewed === 'user' ? ann.id : id },
          change: { before: { screening: 'review', accepted: false }, after: { accepted: true } },
          reason: 'A namesake',
        },
      });
      return { ann, id, approvalId: requested.data.id };
    }

    it('lets everybody take the withdrawal but the admin who has approved the acceptance [SEC-212]', async () => {
      const { id, approvalId } = await requestedAcceptance();
      expect((await steps.take(id, operator)).body.error.details).toMatchObject({ screening: 'review' });
      expect((await approvals.approve(approvalId)).data.status).toBe('approved');
      const before = await platform.ledgerState();
      expect(await steps.take(id, approvals.second)).toMatchObject(FOUR_EYES);
      expect((await steps.approve(id)).status).toBe(200);
      expect(await steps.execute(id, approvals.second)).toMatchObject(FOUR_EYES);
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.execute(id, operator)).data.status).toBe('processing');
    });

    it('fails after a newer verdict', async () => {
      const { ann, id, approvalId } = await requestedAcceptance();
      await screening.expireVerdicts(ann.id);
      expectFailed(await approvals.approve(approvalId), /another verdict since the request/);
      expect((await steps.take(id, operator)).code).toBe('INVALID_STATE');
    });

    it('stays pending while the provider does not answer', async () => {
      const { ann, approvalId } = await requestedAcceptance();
      await screening.expireVerdicts(ann.id);
      await screening.withProviderFault('drop', async () => {
        expect(await approvals.approve(approvalId)).toMatchObject({
          status: 503,
          code: 'SERVICE_UNAVAILABLE',
        });
      });
      expect((await approvals.get(approvalId)).data.status).toBe('pending');
    });
  });

  it('of a yield report of -60 % by a second admin lowers the value of investments, which does not change before [SEC-213]', async () => {
    const ann = await platform.given.user().withBalance('1000.00');
    await platform.as(ann).post(INVESTMENTS, { strategyId: 'balanced-10', amount: '1000.00' });
    const day = platform.clock.today();
    const report = { eventId: 'minus-60', strategyId: 'balanced-10', day, apy: '-60' };
    await platform.app.get(YieldReportsService).record(report);
    const [{ id }] = await platform.dataSource.query('select id from yield_report where event_id = $1', [
      report.eventId,
    ]);
    const stateOf = async () => ({
      ledger: await platform.ledgerState(),
      balance: (await platform.as(ann).get('/api/user/balance')).data,
      navs: await platform.dataSource.query('select * from strategy_nav order by strategy_id, day'),
      reports: await platform.dataSource.query('select * from yield_report'),
    });
    const before = await stateOf();
    const requested = await platform.as(admin).post(`/api/admin/yield-reports/${id}/accept`);
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'yield-report.accept',
        subject: { type: 'yield-report', id, label: `balanced-10 on ${day}: -60.00 % a year` },
        change: {
          before: { status: 'waiting', waitingFor: ['rate'] },
          after: { status: 'accepted', apy: '-60.00' },
        },
      },
    });
    expect(await approvals.approve(requested.data.id, admin)).toMatchObject(FOUR_EYES);
    expect(await stateOf()).toEqual(before);
    expect((await approvals.approve(requested.data.id)).data.status).toBe('approved');
    platform.clock.moveTo(startOfDay(addDays(day, 2)).toISOString());
    await platform.app.get(NavsService).publishMissingNavs();
    const [{ currentValue }] = (await platform.as(ann).get('/api/user/balance')).data.investments;
    expect(Number(currentValue)).toBeLessThan(1000);
  });

  it('of a resumption fails after a new violation, and withdrawals stay paused [SEC-214]', async () => {
    const pauseOf = async () => (await platform.as(admin).get(INTEGRITY)).data.pause;
    const resume = async () =>
      (await platform.as(admin).post(`${INTEGRITY}/resume`, { reason: 'It was nothing' })).data;
    const changeBalance = (amount: string, { id }: TestUser) =>
      executeWithoutTriggers(
        platform,
        `update ledger_account set balance = balance + ${amount} where owner_id = '${id}' and kind = 'user.available'`,
      );
    const ann = await platform.given.user().withBalance('100.00');
    const ben = await platform.given.user().withBalance('100.00');
    await changeBalance('5', ann);
    expect(await pauseOf()).toMatchObject({ pausedBy: 'system' });
    const requested = await resume();
    expect(requested).toMatchObject({
      kind: 'integrity.resume',
      change: { before: { status: 'paused' }, after: { status: 'open' } },
    });
    expect(requested.change.after.stillBroken).toContain('balances (1)');
    await changeBalance('7', ben);
    expectFailed(
      await approvals.approve(requested.id),
      /violations that the request does not list: balances \(2\)/,
    );
    expect(await pauseOf()).not.toBeNull();
    expect((await steps.request(ben, '50.00')).code).toBe('WITHDRAWALS_PAUSED');
    await changeBalance('-7', ben);
    // The violation that the request lists remains, and the approval acknowledges it.
    expect((await approvals.approve((await resume()).id)).data.status).toBe('approved');
    await changeBalance('-5', ann);
    expect(await pauseOf()).toBeNull();
    expect((await steps.request(ben, '50.00')).status).toBe(201);
  });

  it('of a continuation of the log resumes sealing only by two admins [SEC-215]', async () => {
    const sealedSize = async () =>
      Number((await platform.dataSource.query('select max(size) as size from proof_checkpoint'))[0].size);
    await platform.runJob('log-sealing');
    await platform.dataSource.query('update proof_log set restored_at = now()');
    await platform.given.user().withBalance('10.00');
    const size = await sealedSize();
    const requested = await platform
      .as(admin)
      .post('/api/admin/proofs/continue', { reason: 'None was published' });
    expect(requested).toMatchObject({
      status: 202,
      data: {
        kind: 'log.continue',
        change: { before: { status: 'restored' }, after: { status: 'sealing', checkpoint: null } },
      },
    });
    expect(await approvals.approve(requested.data.id, admin)).toMatchObject(FOUR_EYES);
    await platform.runJob('log-sealing');
    expect(await sealedSize()).toBe(size);
    expect((await approvals.approve(requested.data.id)).data.status).toBe('approved');
    await platform.runJob('log-sealing');
    expect(await sealedSize()).toBeGreaterThan(size);
  });

  describe('of the end of a security hold', () => {
    const endHold = (id: string, body: object = { reason: 'She called.' }) =>
      platform.as(admin).post(`${ADMIN_USERS}/${id}/hold/end`, body);
    const heldUser = async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      await startHold(platform, ann.id);
      return ann;
    };

    it('lets the user withdraw, and not before [SEC-216]', async () => {
      const ann = await heldUser();
      const requested = await endHold(ann.id);
      expect(requested).toMatchObject({
        status: 202,
        data: {
          kind: 'user.hold-end',
          subject: { type: 'user', id: ann.id, label: ann.email },
          change: { before: { hold: { reason: 'email-changed' } }, after: { hold: null } },
        },
      });
      expect(await approvals.approve(requested.data.id, admin)).toMatchObject(FOUR_EYES);
      expect((await steps.request(ann, '100.00')).code).toBe('SECURITY_HOLD');
      expect((await approvals.approve(requested.data.id)).data.status).toBe('approved');
      expect((await platform.as(ann).get('/api/user/limits')).data.hold).toBeNull();
      expect((await steps.request(ann, '100.00')).status).toBe(201);
    });

    it('fails if the hold was extended since the request', async () => {
      const ann = await heldUser();
      const { id } = (await endHold(ann.id)).data;
      platform.clock.advance(HOUR_MS);
      await startHold(platform, ann.id, 'new-identity');
      expectFailed(await approvals.approve(id), /extended since the request/);
      expect((await steps.request(ann, '100.00')).code).toBe('SECURITY_HOLD');
    });

    it('is requested with a reason, and only for a user with a hold', async () => {
      const ann = await heldUser();
      for (const reason of [undefined, null, '', '  ', 'x'.repeat(501)])
        expect(await endHold(ann.id, { reason })).toMatchObject({ status: 400, code: 'REASON_REQUIRED' });
      expect(await endHold(UNKNOWN_ID)).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
      const { id } = await platform.given.user();
      expect(await endHold(id)).toMatchObject({ status: 422, code: 'INVALID_STATE' });
    });
  });
});
