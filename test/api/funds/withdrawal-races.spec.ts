import { HOUR_MS } from '../../../src/common/durations.js';
import type { TestAdmin, TestUser } from '../../fixtures/given.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { USER_WITHDRAWALS, withdrawalSteps, type WithdrawalSteps } from '../../fixtures/withdrawals.js';

describe('Withdrawals:', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;
  let admin2: TestAdmin;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
    admin2 = await platform.given.admin('admin2');
  });
  afterAll(() => platform?.stop());

  describe('concurrent requests', () => {
    it('allow exactly one of forty withdrawals of the whole balance [SEC-059]', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const replies = await Promise.all(Array.from({ length: 40 }, () => steps.request(ann, '500.00')));

      expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
      expect(replies.filter((reply) => reply.code === 'INSUFFICIENT_BALANCE')).toHaveLength(39);
      expect(await steps.funds(ann)).toEqual({
        available: '0.00',
        reserved: '500.00',
        withdrawals: '500.00',
      });
      const [postings] = await platform.dataSource.query(
        `select count(*)::int as count from ledger_transaction join withdrawal as w on w.id::text = reference_id
          where type = 'withdrawal-requested' and w.user_id = $1`,
        [ann.id],
      );
      expect(postings.count).toBe(1);
    });

    it('never exceed the daily limit [SEC-025]', async () => {
      const ann = await platform.given.user().withBalance('200000.00');
      const replies = await Promise.all(Array.from({ length: 12 }, () => steps.request(ann, '12500.00')));

      // 4 × 12500.00 = 50000.00, the daily limit
      expect(replies.filter((reply) => reply.status === 201)).toHaveLength(4);
      expect(replies.filter((reply) => reply.code === 'WITHDRAWAL_LIMIT_EXCEEDED')).toHaveLength(8);
      expect(await steps.funds(ann)).toMatchObject({ reserved: '50000.00' });
    });
  });

  describe('200 concurrent requests at the edge of a window', () => {
    /** Repeats while the answer is 503: on a busy machine a request may wait too long for its turn. */
    const requestUntilDecided = async (user: TestUser, amount: string) => {
      for (;;) {
        const reply = await steps.request(user, amount);
        if (reply.status !== 503) return reply;
      }
    };
    /** Requests `used` and then 200 times `amount` at once. Returns the number of accepted requests of these 200, and the reserved amount. */
    const requestAtOnce = async (amount: string, used: readonly string[]) => {
      const ann = await platform.given.user().withBalance('200000.00');
      for (const earlier of used) expect((await steps.request(ann, earlier)).status).toBe(201);
      const replies = await Promise.all(Array.from({ length: 200 }, () => requestUntilDecided(ann, amount)));
      const accepted = replies.filter((reply) => reply.status === 201);
      const refused = replies.filter((reply) => reply.code === 'WITHDRAWAL_LIMIT_EXCEEDED');
      expect(accepted.length + refused.length).toBe(200);
      return { accepted: accepted.length, reserved: (await steps.funds(ann)).reserved };
    };

    it('are accepted exactly as far as they fit, to the last micro-unit', async () => {
      // 50000.00 − 49949.999993 = 50.000007 = 3 × 16.666669
      expect(await requestAtOnce('16.666669', ['49949.999993'])).toEqual({
        accepted: 3,
        reserved: '50000.00',
      });
      expect(await requestAtOnce('16.666670', ['49949.999993'])).toEqual({
        accepted: 2,
        reserved: '49983.333333', // 49949.999993 + 2 × 16.666670; a third one would exceed 50000.00
      });
      expect(await requestAtOnce('10.00', ['30000.00', '20000.00'])).toEqual({
        accepted: 0,
        reserved: '50000.00',
      });
    });
  });

  describe('the daily limit', () => {
    it('allows exactly 50000.00 and no micro-unit more [SEC-056]', async () => {
      const ann = await platform.given.user().withBalance('100000.00');
      expect((await steps.request(ann, '49990.00')).status).toBe(201);
      const before = await platform.ledgerState();
      const over = await steps.request(ann, '10.000001');

      expect(over).toMatchObject({ status: 422, code: 'WITHDRAWAL_LIMIT_EXCEEDED' });
      // 50000.00 − 49990.00 = 10.00
      const details = { dailyLimit: '50000.00', usedToday: '49990.00', available: '10.00' };
      const ofWindow = { window: 'day', limit: '50000.00', used: '49990.00' };
      expect(over.body.error.details).toEqual({ ...details, ...ofWindow });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await steps.request(ann, '10.00')).status).toBe(201);
      expect((await steps.request(ann, '10.00')).body.error.details.available).toBe('0.00');
    });

    it('covers the last 24 hours', async () => {
      const ann = await platform.given.user().withBalance('150000.00');
      await steps.request(ann, '30000.00');
      platform.clock.advance(2 * HOUR_MS);
      await steps.request(ann, '20000.00');

      platform.clock.advance(22 * HOUR_MS - 1); // one millisecond less than 24 hours after the first
      expect((await steps.request(ann, '10.00')).body.error.details.usedToday).toBe('50000.00'); // 30000.00 + 20000.00
      platform.clock.advance(1);
      expect((await steps.request(ann, '30000.01')).body.error.details.usedToday).toBe('20000.00');
      expect((await steps.request(ann, '30000.00')).status).toBe(201); // 20000.00 + 30000.00 = 50000.00
    });

    it('does not include cancelled or rejected withdrawals', async () => {
      const ann = await platform.given.user().withBalance('100000.00');
      const first = await steps.request(ann, '50000.00');
      await steps.cancel(first.data.id, ann);
      const second = await steps.request(ann, '50000.00');
      expect(second.status).toBe(201);
      await steps.reject(second.data.id);
      expect((await steps.request(ann, '50000.00')).status).toBe(201);
    });
  });

  describe('two admins concurrently', () => {
    it('take a withdrawal: one succeeds and the other gets INVALID_STATE', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await steps.createPending();
        const replies = await Promise.all([steps.take(id), steps.take(id, admin2)]);
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 422]);
        expect(replies.find((reply) => reply.status === 422)?.code).toBe('INVALID_STATE');
        expect((await steps.detail(id)).lifecycle).toHaveLength(2); // requested, taken
      }
    });

    it('complete and reject a withdrawal: one succeeds and determines the balance', async () => {
      for (let round = 0; round < 5; round++) {
        const { id, ann } = await steps.createProcessing();
        const [completed, rejected] = await Promise.all([steps.complete(id), steps.reject(id, 'No', admin2)]);
        expect([completed.status, rejected.status].sort()).toEqual([200, 422]);
        const available = completed.status === 200 ? '199900.00' : '200000.00'; // 200000.00 − 100.00, or unchanged
        expect(await steps.funds(ann)).toMatchObject({ available, reserved: '0.00' });
      }
    });
  });

  describe('cancellation', () => {
    it('returns the money once', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await steps.request(ann, '120.00')).data;
      const reply = await steps.cancel(id, ann);

      expect(reply).toMatchObject({ status: 200, data: { id, status: 'rejected', rejectionReason: null } });
      expect(await steps.funds(ann)).toEqual({ available: '500.00', reserved: '0.00', withdrawals: '0.00' });

      const again = await steps.cancel(id, ann);
      expect(again).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(await steps.funds(ann)).toMatchObject({ available: '500.00' });
    });

    it('is rejected after an operator has taken the withdrawal', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await steps.request(ann, '120.00')).data;
      await steps.take(id);
      const before = await platform.ledgerState();
      const reply = await steps.cancel(id, ann);

      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      const details = { status: 'processing', action: 'cancel', allowedFrom: ['pending'] };
      expect(reply.body.error.details).toEqual(details);
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('and a concurrent take: one succeeds', async () => {
      for (let round = 0; round < 5; round++) {
        const ann = await platform.given.user().withBalance('500.00');
        const { id } = (await steps.request(ann, '120.00')).data;
        const replies = await Promise.all([steps.cancel(id, ann), steps.take(id)]);

        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 422]);
        const cancelled = replies[0].status === 200;
        expect(replies.find((reply) => reply.status === 422)?.code).toBe('INVALID_STATE');
        expect((await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}`)).data.status).toBe(
          cancelled ? 'rejected' : 'processing',
        );
        expect(await steps.funds(ann)).toMatchObject({ reserved: cancelled ? '0.00' : '120.00' });
      }
    });

    it('ten times concurrently returns the money once', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await steps.request(ann, '120.00')).data;
      const replies = await Promise.all(Array.from({ length: 10 }, () => steps.cancel(id, ann)));
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
      expect(await steps.funds(ann)).toMatchObject({ available: '500.00', reserved: '0.00' });
    });
  });
});
