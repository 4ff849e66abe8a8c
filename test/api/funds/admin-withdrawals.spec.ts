import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN_WITHDRAWALS,
  DESTINATION,
  UNKNOWN_ID,
  unknownHash,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

describe('The routes of admins for withdrawals:', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  describe('a withdrawal', () => {
    it('is taken, paid by hand and completed, and each step is recorded', async () => {
      const { id, ann } = await steps.createPending('150.25');
      platform.clock.advance(HOUR_MS);
      const taken = await steps.take(id);
      expect(taken).toMatchObject({
        status: 200,
        data: { id, status: 'processing', txHash: null, chainCheck: null },
      });

      const paid = await platform.outside.chain.payUsdc(DESTINATION, '150.25');
      platform.clock.advance(HOUR_MS);
      const done = await steps.complete(id, paid, { note: 'Paid from the main wallet' }, admin2);
      expect(done).toMatchObject({
        status: 200,
        data: { status: 'completed', txHash: paid, chainCheck: 'matched', note: 'Paid from the main wallet' },
      });

      // `createPending` gives the user 200000.00: 200000.00 − 150.25 = 199849.75
      expect(await steps.funds(ann)).toEqual({
        available: '199849.75',
        reserved: '0.00',
        withdrawals: '150.25',
      });
      const detail = await steps.detail(id);
      expect(detail.lifecycle).toMatchObject([
        { status: 'pending', by: ann.email, note: null },
        { status: 'processing', by: 'admin@example.com', note: null },
        { status: 'completed', by: 'admin2@example.com', note: 'Paid from the main wallet' },
      ]);
      const shown = { addressChecksum: 'valid', txHash: paid, chainCheck: 'matched' };
      const [listed] = (await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}?userId=${ann.id}`)).data;
      expect(listed).toMatchObject(shown);
      expect(detail).toMatchObject({ ...shown, withdrawal: shown });
      const times = detail.lifecycle.map(({ at }: { at: string }) => Date.parse(at));
      expect([times[1] - times[0], times[2] - times[1]]).toEqual([HOUR_MS, HOUR_MS]);
      expect(detail.user).toEqual({
        id: ann.id,
        email: ann.email,
        walletAddress: null,
        verificationStatus: 'not_checked',
        accountCreated: expect.stringMatching(/Z$/),
      });
      expect(detail.withdrawal).toEqual({
        amount: '150.25',
        currency: 'USDC',
        destinationAddress: DESTINATION,
        addressChecksum: 'valid',
        source: 'available',
        gasFee: '0.00',
        netAmount: '150.25',
        txHash: paid,
        chainCheck: 'matched',
        chainCheckReason: null,
        note: 'Paid from the main wallet',
      });
      expect(detail.limits).toEqual({
        dailyLimit: '50000.00',
        usedToday: '150.25',
        remainingToday: '49849.75', // 50000.00 − 150.25
        lifetimeWithdrawn: '150.25',
      });
      const user = await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}`);
      expect(user.data).toMatchObject({ status: 'completed', txHash: paid, rejectionReason: null });
    });

    it('can be approved and executed, each with its own time', async () => {
      const { id } = await steps.createPending();
      const approved = await steps.approve(id);
      expect(approved.data).toMatchObject({
        status: 'approved',
        approvedBy: 'admin@example.com',
        executedAt: null,
      });
      platform.clock.advance(HOUR_MS);
      const executed = await steps.execute(id);
      expect(executed.data).toMatchObject({ status: 'processing', approvedBy: 'admin@example.com' });
      expect(Date.parse(executed.data.executedAt) - Date.parse(executed.data.approvedAt)).toBe(HOUR_MS);
    });

    it('is rejected with a reason that the user can read, and the money is returned', async () => {
      const { id, ann } = await steps.createProcessing();
      const reply = await steps.reject(id, 'The address is on a list');
      expect(reply).toMatchObject({
        status: 200,
        data: { status: 'rejected', note: 'The address is on a list' },
      });
      expect(await steps.funds(ann)).toEqual({
        available: '200000.00',
        reserved: '0.00',
        withdrawals: '0.00',
      });
      const user = await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}`);
      expect(user.data.rejectionReason).toBe('The address is on a list');
    });

    it('fails once when the provider reports a failure, even repeatedly, and the money stays reserved', async () => {
      const { id, ann } = await steps.createProcessing();
      expect(await steps.fail(id)).toBe('failed');
      expect(await steps.funds(ann)).toEqual({
        available: '199900.00', // 200000.00 − 100.00
        reserved: '100.00',
        withdrawals: '100.00',
      });
      const detail = await steps.detail(id);
      expect(detail).toMatchObject({ status: 'failed', note: 'Liquidity' });
      expect(detail.lifecycle.at(-1)).toMatchObject({ status: 'failed', by: 'crypto2b', note: 'Liquidity' });
      const failed = (
        await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}?status=failed&userId=${ann.id}`)
      ).data;
      expect(failed).toMatchObject([
        { id, status: 'failed', note: 'Liquidity', txHash: null, chainCheck: null, completedAt: null },
      ]);

      expect(await steps.fail(id)).toBe('already-failed');
      expect((await steps.detail(id)).lifecycle).toHaveLength(3);
    });

    it('is not changed by a failure report of the provider that concerns no payment in progress', async () => {
      const { id } = await steps.createPending();
      expect(await steps.fail(id)).toBe('not-processing');
      expect(await steps.fail(UNKNOWN_ID)).toBe('unknown');
      expect(await steps.fail('not-a-uuid')).toBe('unknown');
      expect((await steps.detail(id)).status).toBe('pending');
    });
  });

  describe('POST /api/admin/withdrawals/bulk-take', () => {
    it('takes the pending withdrawals, each once, and lists the other ids with the codes of their failures', async () => {
      const first = await steps.createPending();
      const second = await steps.createPending();
      const processing = await steps.createProcessing();
      const ids = [first.id, processing.id, UNKNOWN_ID, second.id, first.id.toUpperCase()];
      const reply = await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, { ids });

      expect(reply.status).toBe(200);
      expect(reply.data.taken).toEqual([first.id, second.id]); // `first` once, although it is named twice
      expect(reply.data.failed).toEqual([
        { id: processing.id, code: 'INVALID_STATE', message: expect.any(String) },
        { id: UNKNOWN_ID, code: 'WITHDRAWAL_NOT_FOUND', message: expect.any(String) },
      ]);
      expect((await steps.detail(second.id)).status).toBe('processing');
    });

    it.each([
      ['a body without a list', {}, 'MISSING_REQUIRED_FIELD'],
      ['an empty list', { ids: [] }, 'VALIDATION_ERROR'],
      ['a string instead of a list', { ids: UNKNOWN_ID }, 'VALIDATION_ERROR'],
      ['an invalid id', { ids: ['1'] }, 'VALIDATION_ERROR'],
      ['101 ids', { ids: Array.from({ length: 101 }, () => UNKNOWN_ID) }, 'VALIDATION_ERROR'],
    ])('refuses %s: 400', async (_what, body, code) => {
      expect(await platform.as(steps.admin).post(`${ADMIN_WITHDRAWALS}/bulk-take`, body)).toMatchObject({
        status: 400,
        code,
      });
    });
  });

  describe('the permissions', () => {
    const calls: [string, string, object | undefined][] = [
      ['GET', '', undefined],
      ['GET', '/pending', undefined],
      ['GET', `/${UNKNOWN_ID}`, undefined],
      ['POST', '/bulk-take', { ids: [UNKNOWN_ID] }],
      ['POST', `/${UNKNOWN_ID}/take`, undefined],
      ['POST', `/${UNKNOWN_ID}/complete`, { txHash: unknownHash() }],
      ['PUT', `/${UNKNOWN_ID}/approve`, undefined],
      ['PUT', `/${UNKNOWN_ID}/execute`, undefined],
      ['PUT', `/${UNKNOWN_ID}/reject`, { reason: 'No' }],
    ];

    it.each(calls)(
      '%s /api/admin/withdrawals%s is allowed to operators, but not to support, users or anonymous callers',
      async (method, path, body) => {
        const operator = await platform.given.admin('operator');
        const support = await platform.given.admin('support');
        const user = await platform.given.user();
        const as = (caller: { token: string } | null) =>
          platform.as(caller).call(method, ADMIN_WITHDRAWALS + path, body);

        expect([200, 404]).toContain((await as(operator)).status);
        expect(await as(support)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
        expect(await as(user)).toMatchObject({ status: 403, code: 'ADMIN_REQUIRED' });
        expect(await as(null)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
      },
    );

    it('are checked before the withdrawal is changed', async () => {
      const { id, ann } = await steps.createPending();
      const support = await platform.given.admin('support');
      await steps.take(id, support);
      await steps.take(id, ann);
      expect(await steps.detail(id)).toMatchObject({ status: 'pending', lifecycle: [{ status: 'pending' }] });
    });
  });

  it.each([UNKNOWN_ID, 'not-a-uuid'])(
    'a withdrawal with the unknown id %s is answered 404 WITHDRAWAL_NOT_FOUND',
    async (id) => {
      const missing = { status: 404, code: 'WITHDRAWAL_NOT_FOUND' };
      expect(await platform.as(steps.admin).get(`${ADMIN_WITHDRAWALS}/${id}`)).toMatchObject(missing);
      expect(await steps.take(id)).toMatchObject(missing);
      expect(await steps.complete(id)).toMatchObject(missing);
    },
  );

  it.each([
    [undefined, 'MISSING_REQUIRED_FIELD'],
    ['', 'VALIDATION_ERROR'],
    [17, 'VALIDATION_ERROR'],
  ])('a rejection with the reason %j is refused: 400 %s', async (reason, code) => {
    const { id } = await steps.createPending();
    const reply = await platform.as(steps.admin).put(`${ADMIN_WITHDRAWALS}/${id}/reject`, { reason });
    expect(reply).toMatchObject({ status: 400, code });
    expect((await steps.detail(id)).status).toBe('pending');
  });
});
