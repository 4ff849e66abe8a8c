import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  DESTINATION,
  UNKNOWN_ID,
  USER_WITHDRAWALS,
  withdrawalSteps,
  type WithdrawalSteps,
} from '../../fixtures/withdrawals.js';

describe('/api/user/withdrawals', () => {
  let platform: TestPlatform;
  let steps: WithdrawalSteps;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = await withdrawalSteps(platform);
  });
  afterAll(() => platform?.stop());

  describe('POST', () => {
    it('reserves the amount and returns a pending withdrawal', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const reply = await steps.request(ann, '120.50');

      expect(reply.status).toBe(201);
      expect(reply.data).toEqual({
        id: expect.any(String),
        status: 'pending',
        heldByPlatformLimit: false,
        amount: '120.50',
        currency: 'USDC',
      });
      expect(reply.body.trace_id).toBe(reply.body.traceId);
      // 500.00 − 120.50 reserved = 379.50
      expect(await steps.funds(ann)).toEqual({
        available: '379.50',
        reserved: '120.50',
        withdrawals: '120.50',
      });
    });

    it.each([
      ['valid', DESTINATION, DESTINATION],
      ['absent', DESTINATION.toLowerCase(), DESTINATION],
      ['absent', `0x${DESTINATION.slice(2).toUpperCase()}`, DESTINATION],
      ['mismatch', DESTINATION.replace('5aA', '5aa'), DESTINATION.replace('5aA', '5aa')],
    ])('stores an address with the checksum state %s: %s', async (checksum, entered, stored) => {
      const ann = await platform.given.user().withBalance('500.00');
      const { data } = await steps.request(ann, '10.00', { toAddress: entered });

      expect((await platform.as(ann).get(`${USER_WITHDRAWALS}/${data.id}`)).data.toAddress).toBe(stored);
      expect((await steps.detail(data.id)).withdrawal).toMatchObject({
        addressChecksum: checksum,
        destinationAddress: stored,
      });
    });

    it.each([
      ['no amount', { amount: undefined }, 400, 'VALIDATION_ERROR'],
      ['no currency', { currency: undefined }, 400, 'VALIDATION_ERROR'],
      ['no address', { toAddress: undefined }, 400, 'VALIDATION_ERROR'],
      ['an amount that is a JSON number', { amount: 100 }, 400, 'VALIDATION_ERROR'],
      ['a negative amount', { amount: '-100.00' }, 400, 'VALIDATION_ERROR'],
      ['an amount with a seventh decimal', { amount: '100.0000001' }, 400, 'VALIDATION_ERROR'],
      ['an amount with an exponent', { amount: '1e2' }, 400, 'VALIDATION_ERROR'],
      ['a short address', { toAddress: DESTINATION.slice(0, -1) }, 400, 'VALIDATION_ERROR'],
      ['an address without 0x', { toAddress: `00${DESTINATION.slice(2)}` }, 400, 'VALIDATION_ERROR'],
      [
        'an address with a digit that is not hexadecimal',
        { toAddress: DESTINATION.replace('a', 'g') },
        400,
        'VALIDATION_ERROR',
      ],
      ['an address in a list', { toAddress: [DESTINATION] }, 400, 'VALIDATION_ERROR'],
      ['an unsupported currency', { currency: 'USDT' }, 400, 'VALIDATION_ERROR'],
      ['an unknown field', { speed: 'fast' }, 400, 'VALIDATION_ERROR'],
      ['an amount of zero', { amount: '0.00' }, 400, 'INVALID_AMOUNT'],
      ['an amount 0.000001 below the minimum', { amount: '9.999999' }, 422, 'INVALID_AMOUNT'],
    ])('rejects %s and posts nothing', async (_, fault, status, code) => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      const reply = await steps.request(ann, '100.00', fault);

      expect(reply).toMatchObject({ status, code });
      expect(await platform.ledgerState()).toEqual(before);
      expect((await platform.as(ann).get(USER_WITHDRAWALS)).data.requests).toEqual([]);
    });

    it('accepts the minimum', async () => {
      const ann = await platform.given.user().withBalance('10.00');
      expect((await steps.request(ann, '10')).status).toBe(201);
      expect(await steps.funds(ann)).toMatchObject({ available: '0.00', reserved: '10.00' });
    });

    it('rejects more than the available balance and reports the missing amount', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      await steps.request(ann, '60.00');
      const before = await platform.ledgerState();
      const reply = await steps.request(ann, '40.000001');

      expect(reply).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
      // 100.00 − 60.00 reserved = 40.00; 40.000001 − 40.00 = 0.000001
      const details = { available: '40.00', requested: '40.000001', shortfall: '0.000001' };
      expect(reply.body.error.details).toEqual(details);
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('rejects a user without any balance', async () => {
      const ann = await platform.given.user();
      expect(await steps.request(ann, '10.00')).toMatchObject({ status: 422, code: 'INSUFFICIENT_BALANCE' });
    });

    it('answers WITHDRAWAL_ERROR for an internal error and reserves nothing', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      await platform.dataSource.query('alter table withdrawal_event rename to withdrawal_event_gone');
      const reply = await steps.request(ann, '100.00');
      await platform.dataSource.query('alter table withdrawal_event_gone rename to withdrawal_event');

      expect(reply).toMatchObject({ status: 500, code: 'WITHDRAWAL_ERROR' });
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('rejects anonymous callers and admins', async () => {
      const admin = await platform.given.admin();
      const body = { amount: '10.00', currency: 'USDC', toAddress: DESTINATION };
      expect((await platform.as(null).post(USER_WITHDRAWALS, body)).code).toBe('TOKEN_MISSING');
      expect((await platform.as(admin).post(USER_WITHDRAWALS, body)).code).toBe('FORBIDDEN');
    });
  });

  describe('GET', () => {
    it('lists the caller’s withdrawals, newest first, by page', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const bob = await platform.given.user().withBalance('500.00');
      await steps.request(bob, '99.00');
      for (const amount of ['11.00', '12.00', '13.00']) {
        await steps.request(ann, amount);
        platform.clock.advance(1000);
      }
      const all = await platform.as(ann).get(USER_WITHDRAWALS);
      expect(all.data.requests.map((request: { amount: string }) => request.amount)).toEqual([
        '13.00',
        '12.00',
        '11.00',
      ]);
      expect(all.body.pagination).toMatchObject({ page: 1, limit: 100, total: 3, totalPages: 1 });
      expect(all.data.requests[0]).toEqual({
        id: expect.any(String),
        status: 'pending',
        heldByPlatformLimit: false,
        amount: '13.00',
        currency: 'USDC',
        toAddress: DESTINATION,
        createdAt: expect.stringMatching(/Z$/),
        txHash: '',
        cancellable: true,
        cancelledByUser: false,
        cancelledAt: null,
        failureReason: null,
        returned: false,
        returnedAt: null,
      });

      const second = await platform.as(ann).get(`${USER_WITHDRAWALS}?page=2&limit=2`);
      expect(second.data.requests).toHaveLength(1);
      expect(second.data.requests[0].amount).toBe('11.00');
      expect(second.body.pagination).toMatchObject({ page: 2, total: 3, hasNext: false, hasPrevious: true });
    });

    it.each(['page=0', 'page=x', 'limit=0', 'limit=101'])(
      'refuses ?%s with INVALID_PAGINATION',
      async (query) => {
        const ann = await platform.given.user();
        expect(await platform.as(ann).get(`${USER_WITHDRAWALS}?${query}`)).toMatchObject({
          status: 400,
          code: 'INVALID_PAGINATION',
        });
      },
    );

    it('refuses to show or cancel a withdrawal of another user', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const eve = await platform.given.user();
      const { id } = (await steps.request(ann, '100.00')).data;

      expect(await platform.as(eve).get(`${USER_WITHDRAWALS}/${id}`)).toMatchObject({
        status: 403,
        code: 'PERMISSION_DENIED',
      });
      const cancel = await steps.cancel(id, eve);
      expect(cancel).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
      expect((await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}`)).data.status).toBe('pending');
    });

    it.each([UNKNOWN_ID, 'not-a-uuid', '1'])(
      'answers 404 WITHDRAWAL_NOT_FOUND for the unknown id %s',
      async (id) => {
        const ann = await platform.given.user();
        const missing = { status: 404, code: 'WITHDRAWAL_NOT_FOUND' };
        expect(await platform.as(ann).get(`${USER_WITHDRAWALS}/${id}`)).toMatchObject(missing);
        expect(await steps.cancel(id, ann)).toMatchObject(missing);
      },
    );
  });
});
