import { HOUR_MS } from '../../../src/common/durations.js';
import { eventually } from '../../harness/eventually.js';
import { queryWithoutTriggers } from '../../fixtures/ledger-corruption.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { ADMIN_USERS } from '../../fixtures/admin-users.js';
import { freshAddress, ScreeningSteps } from '../../fixtures/screening.js';
import {
  ADMIN_WITHDRAWALS,
  UNKNOWN_ID,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

// Blocked by the sandbox's provider without a rule of the test.
const BLOCKED_ADDRESS = '0x000000000000000000000000000000000000dEaD';
const BLOCKED_EMAIL = 'blocked@example.org';

const NOT_CHECKED = {
  kycStatus: 'not_checked',
  amlChecks: 'not_checked',
  sanctionsList: 'not_checked',
  riskLevel: 'not_checked',
  screenedAt: null,
  screeningReference: null,
};

describe('Screening', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let screening: ScreeningSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' }, screening: true });
    steps = await withdrawalSteps(platform);
    screening = new ScreeningSteps(platform, steps);
  });
  afterAll(() => platform?.stop());

  const complianceOf = async (userId: string) =>
    (await platform.as(steps.admin).get(`${ADMIN_USERS}/${userId}`)).data.compliance;

  const complianceChecksOf = async (id: string) => (await steps.detail(id)).complianceChecks;

  function expectRefused(
    reply: { status: number; code: string | undefined; body: any },
    details: object,
  ): void {
    expect([reply.status, reply.code]).toEqual([422, 'INVALID_STATE']);
    expect(reply.body.error.details).toMatchObject(details);
  }

  describe('of users', () => {
    it.each([
      ['clear', { amlChecks: 'clear', sanctionsList: 'clear', riskLevel: 'low' }],
      ['review', { amlChecks: 'review', sanctionsList: 'clear', riskLevel: 'medium' }],
      ['blocked', { amlChecks: 'blocked', sanctionsList: 'listed', riskLevel: 'high' }],
    ] as const)('shows after the sign-up that a user is %s', async (verdict, figures) => {
      const { id } = await screening.user(verdict);
      await eventually(async () => expect(await complianceOf(id)).toMatchObject(figures));
      expect(await complianceOf(id)).toMatchObject({
        kycStatus: 'not_checked',
        screenedAt: expect.stringMatching(/Z$/),
        screeningReference: expect.stringMatching(/^scr-/),
      });
    });

    it('shows pending until the first verdict', async () => {
      await screening.withProviderFault('error', async () => {
        const { id } = await screening.user();
        const pending = { amlChecks: 'pending', sanctionsList: 'pending', riskLevel: 'pending' };
        expect(await complianceOf(id)).toMatchObject({ ...NOT_CHECKED, ...pending });
      });
      await screening.answerAllQuestions();
    });

    it('covers accounts that an admin creates', async () => {
      const body = { email: `${freshAddress()}@example.org` };
      const { data } = await platform.as(steps.admin).post(ADMIN_USERS, body);
      await eventually(async () => expect((await complianceOf(data.id as string)).amlChecks).toBe('clear'));
    });

    it('covers a changed e-mail address before a withdrawal is taken', async () => {
      const ann = await screening.user();
      const id = await screening.withdrawal(ann);
      await screening.answerAllQuestions();
      const email = `${freshAddress()}@example.org`;
      screening.setRule(email, 'blocked');
      await platform.as(steps.admin).put(`${ADMIN_USERS}/${ann.id}`, { email });
      expectRefused(await steps.take(id), { screening: 'blocked', screened: 'user' });
    });

    it('lets a blocked user sign in and request withdrawals, but none is taken or approved', async () => {
      const ann = await platform.given.user(BLOCKED_EMAIL).withBalance('1000.00');
      const id = await screening.withdrawal(ann);
      const before = await platform.ledgerState();
      for (const refused of [await steps.take(id), await steps.approve(id)])
        expectRefused(refused, { status: 'pending', screening: 'blocked', screened: 'user' });
      expectRefused(await screening.acceptForUser(ann.id), { screening: 'blocked' });
      expectRefused(await screening.acceptForWithdrawal(id), { screening: 'blocked' });
      expect(await steps.detail(id)).toMatchObject({ status: 'pending', lifecycle: [{ status: 'pending' }] });
      expect(await platform.ledgerState()).toEqual(before);

      const audited = await screening.auditEntries(id);
      expect(audited).toMatchObject([
        { action: 'withdrawal.take-refused', actor: steps.admin.email, after: { screening: 'blocked' } },
        { action: 'withdrawal.approve-refused', actor: steps.admin.email, after: { screening: 'blocked' } },
      ]);
      expect(await screening.auditEntries(ann.id)).toMatchObject([
        { action: 'screening.block', actor: 'system' },
      ]);
      expect((await steps.reject(id)).status).toBe(200);
    });

    it('lets withdrawals be taken after the user’s review was accepted, until the next verdict', async () => {
      const ann = await screening.user('review');
      const ids = [await screening.withdrawal(ann), await screening.withdrawal(ann)] as const;
      expectRefused(await steps.take(ids[0]), { screening: 'review', screened: 'user' });

      const accepted = await screening.acceptForUser(ann.id);
      const shown = { id: ann.id, screening: 'review', reason: 'A namesake', acceptedBy: steps.admin.email };
      expect(accepted).toMatchObject({ status: 200, data: shown });
      expect((await steps.take(ids[0])).status).toBe(200);
      expectRefused(await screening.acceptForUser(ann.id), { action: 'accept-screening' });

      await screening.expireVerdicts(ann.id);
      expectRefused(await steps.take(ids[1]), { screening: 'review', screened: 'user' });
      expect(await screening.auditEntries(ann.id)).toMatchObject([{ action: 'user.accept-screening' }]);
    });
  });

  describe('of addresses', () => {
    it('starts when an operator opens a withdrawal, and rejects further requests to a blocked address', async () => {
      const toAddress = BLOCKED_ADDRESS;
      const ann = await screening.user();
      const id = await screening.withdrawal(ann, toAddress);
      await screening.answerAllQuestions();
      expect(await complianceChecksOf(id)).toMatchObject({ amlChecks: 'blocked', sanctionsList: 'listed' });
      expectRefused(await steps.take(id), { screening: 'blocked', screened: 'address' });

      const before = await platform.ledgerState();
      for (const form of [toAddress, toAddress.toLowerCase()])
        expectRefused(await steps.request(ann, '100.00', { toAddress: form }), { screening: 'blocked' });
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('lets one withdrawal be taken after its review was accepted, and no other to the same address', async () => {
      const ann = await screening.user();
      const toAddress = freshAddress();
      screening.setRule(toAddress, 'review');
      const id = await screening.withdrawal(ann, toAddress);
      const secondId = await screening.withdrawal(ann, toAddress);
      expectRefused(await steps.approve(id), { screening: 'review', screened: 'address' });
      expect((await screening.acceptForWithdrawal(id)).status).toBe(200);
      const accepted = { action: 'accept-screening', status: 'review' }; // of the address; the user is clear
      expectRefused(await screening.acceptForWithdrawal(id), accepted);
      expect((await steps.approve(id)).status).toBe(200);

      await screening.expireVerdicts(toAddress); // the next verdict is review as well
      expect((await steps.execute(id)).status).toBe(200);
      expectRefused(await steps.take(secondId), { screening: 'review', screened: 'address' });
      expectRefused(await screening.acceptForWithdrawal(id), { status: 'processing' });
      expect(await screening.auditEntries(id)).toEqual(
        expect.arrayContaining([expect.objectContaining({ action: 'withdrawal.accept-screening' })]),
      );
    });

    it('refuses to take a withdrawal whose address is blocked after its review was accepted', async () => {
      const ann = await screening.user();
      const toAddress = freshAddress();
      screening.setRule(toAddress, 'review');
      const id = await screening.withdrawal(ann, toAddress);
      expect((await screening.acceptForWithdrawal(id)).status).toBe(200);
      screening.setRule(toAddress, 'blocked');
      await screening.expireVerdicts(toAddress);
      expectRefused(await steps.take(id), { screening: 'blocked', screened: 'address' });
    });

    it('shows the worse verdict of user and address, and pending while one is missing', async () => {
      const ann = await screening.user('review');
      const toAddress = freshAddress();
      const id = await screening.withdrawal(ann, toAddress);
      await screening.answerAllQuestions();
      expect(await complianceChecksOf(id)).toMatchObject({ amlChecks: 'review', riskLevel: 'medium' });
      const { data } = await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/pending?limit=100`);
      const queued = (data as { id: string; complianceChecks: object }[]).find((row) => row.id === id);
      expect(queued?.complianceChecks).toEqual(await complianceChecksOf(id));

      await queryWithoutTriggers(platform, 'delete from screening_verdict where subject = $1', [
        `user:${ann.id}`,
      ]);
      expect(await complianceChecksOf(id)).toMatchObject({
        amlChecks: 'pending',
        sanctionsList: 'pending',
        riskLevel: 'pending',
      });
    });
  });

  describe('with a result that an admin accepts', () => {
    it.each([undefined, '', '  '])('needs a reason other than %j', async (reason) => {
      const ann = await screening.user('review');
      const id = await screening.withdrawal(ann);
      const refused = { status: 400, code: 'REASON_REQUIRED' };
      const body = reason === undefined ? {} : { reason };
      const path = `${ADMIN_WITHDRAWALS}/${id}/screening/accept`;
      expect(await platform.as(steps.admin).post(path, body)).toMatchObject(refused);
      const pathOfUser = `${ADMIN_USERS}/${ann.id}/screening/accept`;
      expect(await platform.as(steps.admin).post(pathOfUser, body)).toMatchObject(refused);
    });

    it('refuses the acceptance if there is no review, for unknown ids, and by admins without the permission', async () => {
      const ann = await screening.user();
      const id = await screening.withdrawal(ann);
      expectRefused(await screening.acceptForWithdrawal(id), { action: 'accept-screening' });
      expectRefused(await screening.acceptForUser(ann.id), { action: 'accept-screening' });
      expect(await screening.acceptForWithdrawal(UNKNOWN_ID)).toMatchObject({ code: 'WITHDRAWAL_NOT_FOUND' });
      expect(await screening.acceptForUser(UNKNOWN_ID)).toMatchObject({ code: 'USER_NOT_FOUND' });
      const support = await platform.given.admin('support');
      const denied = { status: 403, code: 'PERMISSION_DENIED' };
      expect(await screening.acceptForWithdrawal(id, 'Yes', support)).toMatchObject(denied);
      expect(await screening.acceptForUser(ann.id, 'Yes', support)).toMatchObject(denied);
    });
  });

  it('verdicts expire by real time and not by the domain clock', async () => {
    const id = await screening.withdrawal(await screening.user());
    await screening.answerAllQuestions();
    platform.clock.advance(1000 * HOUR_MS); // a verdict is valid for 24 hours
    const questionCount = screening.provider.asked.length;
    expect((await steps.take(id)).status).toBe(200);
    expect(screening.provider.asked.length).toBe(questionCount);
  });
});

describe('Without a screening provider', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform({ settings: { FOUR_EYES: 'off' } });
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  it('withdrawals show not_checked, no question is asked and nothing is rejected', async () => {
    const ann = await platform.given.user(BLOCKED_EMAIL).withBalance('1000.00');
    const { data } = await steps.request(ann, '100.00', {
      toAddress: BLOCKED_ADDRESS,
    });
    expect((await steps.detail(data.id as string)).complianceChecks).toEqual(NOT_CHECKED);
    expect((await steps.take(data.id as string)).status).toBe(200);
    expect(platform.outside.providers.screening.asked).toEqual([]);
    const accepted = await new ScreeningSteps(platform, steps).acceptForUser(ann.id);
    expect([accepted.status, accepted.code]).toEqual([422, 'INVALID_STATE']);
  });
});
