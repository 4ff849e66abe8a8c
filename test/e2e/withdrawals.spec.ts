import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { WithdrawalQueries } from '../../src/modules/withdrawals/withdrawals.queries.js';
import type { TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';

const PATH = '/api/user/withdrawals';
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HOUR_MS = 3_600_000;
const NOBODYS = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';

describe('withdrawals, the users’ door', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    // Forty at once on two busy cores: what is tested is who wins, not how long they wait.
    platform = await startPlatform({
      settings: { DATABASE_LOCK_MS: '20000', DATABASE_POOL_WAIT_MS: '10000', LOG_LEVEL: 'silent' },
    });
  });
  afterAll(() => platform.stop());

  const wish = (amount: unknown, more: object = {}) => ({
    amount,
    currency: 'USDC',
    toAddress: CHECKSUMMED,
    ...more,
  });
  const ask = (user: TestUser, amount: string, more: object = {}) =>
    platform.as(user).post(PATH, wish(amount, more));

  async function funds(user: TestUser) {
    const { available, reserved, withdrawals } = await platform.app.get(LedgerQueries).fundsOf(user.id);
    return { available: available.toWire(), reserved: reserved.toWire(), withdrawals: withdrawals.toWire() };
  }

  describe('asking', () => {
    it('reserves the amount and answers with a pending withdrawal', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const reply = await ask(ann, '120.50');

      expect(reply.status).toBe(201);
      expect(reply.data).toEqual({
        id: expect.any(String),
        status: 'pending',
        amount: '120.50',
        currency: 'USDC',
      });
      expect(reply.body.trace_id).toBe(reply.body.traceId);
      // 500.00 − 120.50 reserved = 379.50
      expect(await funds(ann)).toEqual({ available: '379.50', reserved: '120.50', withdrawals: '120.50' });
    });

    it.each([
      ['valid', CHECKSUMMED, CHECKSUMMED],
      ['absent', CHECKSUMMED.toLowerCase(), CHECKSUMMED],
      ['absent', `0x${CHECKSUMMED.slice(2).toUpperCase()}`, CHECKSUMMED],
      ['mismatch', CHECKSUMMED.replace('5aA', '5aa'), CHECKSUMMED.replace('5aA', '5aa')],
    ])('keeps an address whose checksum is %s: %s', async (checksum, given, stored) => {
      const ann = await platform.given.user().withBalance('500.00');
      const { data } = await ask(ann, '10.00', { toAddress: given });
      const operator = await platform.given.admin('operator');

      expect((await platform.as(ann).get(`${PATH}/${data.id}`)).data.toAddress).toBe(stored);
      const seen = await platform.as(operator).get(`/api/admin/withdrawals/${data.id}`);
      expect(seen.data.withdrawal).toMatchObject({ addressChecksum: checksum, destinationAddress: stored });
    });

    it.each([
      ['no amount', { amount: undefined }, 400, 'VALIDATION_ERROR'],
      ['no currency', { currency: undefined }, 400, 'VALIDATION_ERROR'],
      ['no address', { toAddress: undefined }, 400, 'VALIDATION_ERROR'],
      ['a JSON number', { amount: 100 }, 400, 'VALIDATION_ERROR'],
      ['a sign', { amount: '-100.00' }, 400, 'VALIDATION_ERROR'],
      ['a seventh decimal', { amount: '100.0000001' }, 400, 'VALIDATION_ERROR'],
      ['an exponent', { amount: '1e2' }, 400, 'VALIDATION_ERROR'],
      ['a short address', { toAddress: CHECKSUMMED.slice(0, -1) }, 400, 'VALIDATION_ERROR'],
      ['an address without 0x', { toAddress: `00${CHECKSUMMED.slice(2)}` }, 400, 'VALIDATION_ERROR'],
      [
        'an address with a wrong digit',
        { toAddress: CHECKSUMMED.replace('a', 'g') },
        400,
        'VALIDATION_ERROR',
      ],
      ['an address in a list', { toAddress: [CHECKSUMMED] }, 400, 'VALIDATION_ERROR'],
      ['another currency', { currency: 'USDT' }, 400, 'VALIDATION_ERROR'],
      ['an unknown field', { speed: 'fast' }, 400, 'VALIDATION_ERROR'],
      ['nothing', { amount: '0.00' }, 400, 'INVALID_AMOUNT'],
      ['a micro-unit below the minimum', { amount: '9.999999' }, 422, 'INVALID_AMOUNT'],
    ])('refuses %s and leaves the ledger alone', async (_, fault, status, code) => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      const reply = await ask(ann, '100.00', fault);

      expect(reply).toMatchObject({ status, code });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await platform.as(ann).get(PATH)).data.requests).toEqual([]);
    });

    it('takes the minimum itself', async () => {
      const ann = await platform.given.user().withBalance('10.00');
      expect((await ask(ann, '10')).status).toBe(201);
      expect(await funds(ann)).toMatchObject({ available: '0.00', reserved: '10.00' });
    });

    it('refuses more than is available, and says how much is missing', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      await ask(ann, '60.00');
      const before = await platform.ledgerState();
      const reply = await ask(ann, '40.000001');

      expect(reply).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
      // 100.00 − 60.00 reserved = 40.00; 40.000001 − 40.00 = 0.000001
      const details = { available: '40.00', requested: '40.000001', shortfall: '0.000001' };
      expect(reply.body.error.details).toEqual(details);
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('refuses whoever never had any money', async () => {
      const ann = await platform.given.user();
      expect(await ask(ann, '10.00')).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
    });

    it('is called WITHDRAWAL_ERROR when it breaks, and reserves nothing', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      await platform.dataSource.query('alter table withdrawal_event rename to withdrawal_event_gone');
      const reply = await ask(ann, '100.00');
      await platform.dataSource.query('alter table withdrawal_event_gone rename to withdrawal_event');

      expect(reply).toMatchObject({ status: 500, code: 'WITHDRAWAL_ERROR' });
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('is for users: no token, or an admin’s, is refused', async () => {
      const admin = await platform.given.admin();
      expect((await platform.as(null).post(PATH, wish('10.00'))).code).toBe('TOKEN_MISSING');
      expect((await platform.as(admin).post(PATH, wish('10.00'))).code).toBe('FORBIDDEN');
    });
  });

  describe('at once', () => {
    it('lets exactly one of forty withdraw the whole balance', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const replies = await Promise.all(Array.from({ length: 40 }, () => ask(ann, '500.00')));

      expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
      expect(replies.filter((reply) => reply.code === 'INSUFFICIENT_BALANCE')).toHaveLength(39);
      expect(await funds(ann)).toEqual({ available: '0.00', reserved: '500.00', withdrawals: '500.00' });
      const [holds] = await platform.dataSource.query(
        `select count(*)::int as count from ledger_transaction join withdrawal as w on w.id::text = reference_id
          where type = 'withdrawal-requested' and w.user_id = $1`,
        [ann.id],
      );
      expect(holds.count).toBe(1);
    });

    it('keeps the daily limit, whoever comes first', async () => {
      const ann = await platform.given.user().withBalance('200000.00');
      const replies = await Promise.all(Array.from({ length: 12 }, () => ask(ann, '12500.00')));

      // 4 × 12500.00 = 50000.00
      expect(replies.filter((reply) => reply.status === 201)).toHaveLength(4);
      expect(replies.filter((reply) => reply.code === 'WITHDRAWAL_LIMIT_EXCEEDED')).toHaveLength(8);
      expect(await funds(ann)).toMatchObject({ reserved: '50000.00' });
    });
  });

  describe('the daily limit', () => {
    it('takes exactly 50000.00 and not a micro-unit more', async () => {
      const ann = await platform.given.user().withBalance('100000.00');
      expect((await ask(ann, '49990.00')).status).toBe(201);
      const before = await platform.ledgerState();
      const over = await ask(ann, '10.000001');

      expect(over).toMatchObject({ status: 422, code: 'WITHDRAWAL_LIMIT_EXCEEDED' });
      // 50000.00 − 49990.00 = 10.00
      const details = { dailyLimit: '50000.00', usedToday: '49990.00', available: '10.00' };
      expect(over.body.error.details).toEqual(details);
      expect(await platform.ledgerState()).toEqual(before);
      expect((await ask(ann, '10.00')).status).toBe(201);
      expect((await ask(ann, '10.00')).body.error.details.available).toBe('0.00');
    });

    it('rolls: what is 24 hours old no longer counts', async () => {
      const ann = await platform.given.user().withBalance('150000.00');
      await ask(ann, '30000.00');
      platform.clock.advance(2 * HOUR_MS);
      await ask(ann, '20000.00');

      platform.clock.advance(22 * HOUR_MS - 1); // the first is 24 hours old but for a millisecond
      expect((await ask(ann, '10.00')).body.error.details.usedToday).toBe('50000.00'); // 30000.00 + 20000.00
      platform.clock.advance(1);
      expect((await ask(ann, '30000.01')).body.error.details.usedToday).toBe('20000.00');
      expect((await ask(ann, '30000.00')).status).toBe(201); // 20000.00 + 30000.00 = 50000.00
    });

    it('does not count what was cancelled or rejected', async () => {
      const ann = await platform.given.user().withBalance('100000.00');
      const operator = await platform.given.admin('operator');
      const first = await ask(ann, '50000.00');
      await platform.as(ann).post(`${PATH}/${first.data.id}/cancel`);
      const second = await ask(ann, '50000.00');
      expect(second.status).toBe(201);
      await platform
        .as(operator)
        .put(`/api/admin/withdrawals/${second.data.id}/reject`, { reason: 'Wrong day' });
      expect((await ask(ann, '50000.00')).status).toBe(201);
    });
  });

  describe('looking', () => {
    it('lists one’s own, newest first, a page at a time', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const bob = await platform.given.user().withBalance('500.00');
      await ask(bob, '99.00');
      for (const amount of ['11.00', '12.00', '13.00']) {
        await ask(ann, amount);
        platform.clock.advance(1000);
      }
      const all = await platform.as(ann).get(PATH);
      expect(all.data.requests.map((request: { amount: string }) => request.amount)).toEqual([
        '13.00',
        '12.00',
        '11.00',
      ]);
      expect(all.body.pagination).toMatchObject({ page: 1, limit: 100, total: 3, totalPages: 1 });
      expect(all.data.requests[0]).toEqual({
        id: expect.any(String),
        status: 'pending',
        amount: '13.00',
        currency: 'USDC',
        toAddress: CHECKSUMMED,
        createdAt: expect.stringMatching(/Z$/),
        txHash: '',
      });

      const second = await platform.as(ann).get(`${PATH}?page=2&limit=2`);
      expect(second.data.requests).toHaveLength(1);
      expect(second.data.requests[0].amount).toBe('11.00');
      expect(second.body.pagination).toMatchObject({ page: 2, total: 3, hasNext: false, hasPrevious: true });
    });

    it.each(['page=0', 'page=x', 'limit=0', 'limit=101'])('refuses %s', async (query) => {
      const ann = await platform.given.user();
      expect(await platform.as(ann).get(`${PATH}?${query}`)).toMatchObject({
        status: 400,
        code: 'INVALID_PAGINATION',
      });
    });

    it('shows nobody another user’s', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const eve = await platform.given.user();
      const { id } = (await ask(ann, '100.00')).data;

      expect(await platform.as(eve).get(`${PATH}/${id}`)).toMatchObject({
        status: 403,
        code: 'PERMISSION_DENIED',
      });
      const cancel = await platform.as(eve).post(`${PATH}/${id}/cancel`);
      expect(cancel).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data.status).toBe('pending');
    });

    it.each([NOBODYS, 'not-a-uuid', '1'])('does not find %s', async (id) => {
      const ann = await platform.given.user();
      const missing = { status: 404, code: 'WITHDRAWAL_NOT_FOUND' };
      expect(await platform.as(ann).get(`${PATH}/${id}`)).toMatchObject(missing);
      expect(await platform.as(ann).post(`${PATH}/${id}/cancel`)).toMatchObject(missing);
    });

    it('tells other modules since when the oldest open one waits', async () => {
      const oldest = () => platform.app.get(WithdrawalQueries).oldestOpen();
      const present = platform.clock.now();
      const longAgo = new Date('2026-01-05T08:00:00.000Z');
      platform.clock.moveTo(longAgo);
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await ask(ann, '100.00')).data;
      platform.clock.moveTo(present);
      await ask(ann, '100.00');

      expect(await oldest()).toEqual(longAgo);
      await platform.as(ann).post(`${PATH}/${id}/cancel`);
      expect((await oldest())?.getTime()).toBeGreaterThan(longAgo.getTime());
    });
  });

  describe('cancelling', () => {
    it('gives the money back, once', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await ask(ann, '120.00')).data;
      const reply = await platform.as(ann).post(`${PATH}/${id}/cancel`);

      expect(reply).toMatchObject({ status: 200, data: { id, status: 'rejected', rejectionReason: null } });
      expect(await funds(ann)).toEqual({ available: '500.00', reserved: '0.00', withdrawals: '0.00' });

      const again = await platform.as(ann).post(`${PATH}/${id}/cancel`);
      expect(again).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      expect(await funds(ann)).toMatchObject({ available: '500.00' });
    });

    it('is over once an operator has taken it', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const operator = await platform.given.admin('operator');
      const { id } = (await ask(ann, '120.00')).data;
      await platform.as(operator).post(`/api/admin/withdrawals/${id}/take`);
      const before = await platform.ledgerState();
      const reply = await platform.as(ann).post(`${PATH}/${id}/cancel`);

      expect(reply).toMatchObject({ status: 422, code: 'INVALID_STATE' });
      const details = { status: 'processing', action: 'cancel', allowedFrom: ['pending'] };
      expect(reply.body.error.details).toEqual(details);
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('against an operator who takes it at the same time: one of them wins', async () => {
      const operator = await platform.given.admin('operator');
      for (let round = 0; round < 5; round++) {
        const ann = await platform.given.user().withBalance('500.00');
        const { id } = (await ask(ann, '120.00')).data;
        const [cancel, take] = await Promise.all([
          platform.as(ann).post(`${PATH}/${id}/cancel`),
          platform.as(operator).post(`/api/admin/withdrawals/${id}/take`),
        ]);

        expect([cancel.status, take.status].sort()).toEqual([200, 422]);
        const cancelled = cancel.status === 200;
        expect((cancelled ? take : cancel).code).toBe('INVALID_STATE');
        expect((await platform.as(ann).get(`${PATH}/${id}`)).data.status).toBe(
          cancelled ? 'rejected' : 'processing',
        );
        expect(await funds(ann)).toMatchObject({ reserved: cancelled ? '0.00' : '120.00' });
      }
    });

    it('of ten times at once gives the money back once', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { id } = (await ask(ann, '120.00')).data;
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => platform.as(ann).post(`${PATH}/${id}/cancel`)),
      );
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
      expect(await funds(ann)).toMatchObject({ available: '500.00', reserved: '0.00' });
    });
  });
});
