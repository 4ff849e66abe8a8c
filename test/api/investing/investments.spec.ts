import { addDays, startOfDay } from '../../../src/common/days.js';
import type { TestUser } from '../../fixtures/given.js';
import { InvestmentSteps } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/investments';
const START = '2026-03-02T10:00:00.000Z';

describe('/api/user/investments', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  beforeAll(async () => {
    platform = await startPlatform({ at: START });
    steps = new InvestmentSteps(platform);
  });
  afterAll(() => platform?.stop());

  const now = () => platform.clock.now().toISOString();

  describe('creation', () => {
    it('moves the principal and returns the investment', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { status, data } = await steps.invest(ann, '120.50');
      expect(status).toBe(201);
      expect(data).toEqual({
        id: expect.any(String),
        userId: ann.id,
        strategyId: 'balanced-10',
        strategyName: 'Balanced 10%',
        amount: '120.50',
        firstPrincipal: '120.50',
        carriedFees: '0.00',
        currency: 'USDC',
        apy: 10,
        status: 'active',
        allocation: { pendle: '48.20', curve: '42.175', convex: '30.125' }, // 40, 35 and 25 % of 120.50
        performance: {
          currentValue: '120.50',
          totalEarnings: '0.00',
          roi: 0,
          dailyYield: '0.03147', // 120.50 × (1.1^(1/365) − 1) = 0.0314695…
          projectedAnnualReturn: '12.05', // 10 % of 120.50
        },
        createdAt: now(),
        lastUpdated: now(),
        nextYieldDate: startOfDay(addDays(platform.clock.today(), 2)).toISOString(), // the second midnight
      });
      // 500.00 − 120.50 = 379.50
      expect(await steps.funds(ann)).toEqual({
        available: '379.50',
        invested: '120.50',
        earnings: '0.00',
        fees: '0.00',
      });
    });

    it.each(['10', '10.00', '1000000', '999999.999999'])('accepts an amount of %s', async (amount) => {
      const ann = await platform.given.user().withBalance('1000000');
      expect((await steps.invest(ann, amount)).status).toBe(201);
    });

    const wrong: [string, object, number, string][] = [
      ['an amount below 10', { amount: '9.999999' }, 400, 'INVALID_AMOUNT'],
      ['an amount above 1000000', { amount: '1000000.000001' }, 400, 'INVALID_AMOUNT'],
      ['an amount of zero', { amount: '0' }, 400, 'INVALID_AMOUNT'],
      ['a negative amount', { amount: '-100' }, 400, 'INVALID_AMOUNT'],
      ['a signed amount', { amount: '+100' }, 400, 'INVALID_AMOUNT'],
      ['an amount that is a number', { amount: 100 }, 400, 'INVALID_AMOUNT'],
      ['an amount with an exponent', { amount: '1e3' }, 400, 'INVALID_AMOUNT'],
      ['an amount with a seventh decimal', { amount: '100.0000001' }, 400, 'INVALID_AMOUNT'],
      ['an amount with spaces', { amount: ' 100 ' }, 400, 'INVALID_AMOUNT'],
      ['an amount with a leading zero', { amount: '0100' }, 400, 'INVALID_AMOUNT'],
      ['an amount with a comma', { amount: '100,00' }, 400, 'INVALID_AMOUNT'],
      ['an amount with nineteen digits', { amount: '1000000000000000000' }, 400, 'INVALID_AMOUNT'],
      ['an amount with non-ASCII digits', { amount: '１００' }, 400, 'INVALID_AMOUNT'],
      ['an amount that is null', { amount: null }, 400, 'INVALID_AMOUNT'],
      ['an amount that is a list', { amount: ['100'] }, 400, 'INVALID_AMOUNT'],
      ['an amount that is an object', { amount: { value: '100' } }, 400, 'INVALID_AMOUNT'],
      ['no amount', { amount: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
      ['no strategy', { strategyId: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
      ['an unknown strategy', { strategyId: 'balanced-11' }, 422, 'INVALID_STRATEGY'],
      ['a strategy that is a number', { strategyId: 10 }, 400, 'VALIDATION_ERROR'],
      ['a strategy name that is too long', { strategyId: 'x'.repeat(101) }, 400, 'VALIDATION_ERROR'],
      ['an unsupported currency', { currency: 'USDT' }, 400, 'VALIDATION_ERROR'],
      ['an idempotency key that is not a UUID', { idempotencyKey: 'again' }, 400, 'VALIDATION_ERROR'],
      ['an idempotency key that is a UUID v7', { idempotencyKey: UNKNOWN_ID }, 400, 'VALIDATION_ERROR'],
      ['an unknown field', { note: 'hello' }, 400, 'VALIDATION_ERROR'],
      ['a field that only the service sets', { userId: UNKNOWN_ID }, 400, 'VALIDATION_ERROR'],
      ['an amount above the balance', { amount: '500.000001' }, 422, 'INSUFFICIENT_BALANCE'],
    ];
    it.each(wrong)('with %s is rejected and moves nothing', async (_, fields, status, code) => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      const reply = await steps.invest(ann, '100', fields);
      expect([reply.status, reply.code]).toEqual([status, code]);
      expect(await platform.ledgerState()).toEqual(before);
      expect((await platform.as(ann).get(PATH)).data).toEqual([]);
    });

    it('answers the shortfall if the balance is too low', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { body } = await steps.invest(ann, '620.25');
      // 620.25 − 500.00 = 120.25
      expect(body.error.details).toEqual({ available: '500.00', requested: '620.25', shortfall: '120.25' });
    });

    it('rejects anonymous callers and admins', async () => {
      const admin = await platform.given.admin();
      const body = { strategyId: 'balanced-10', amount: '100' };
      expect((await platform.as(null).post(PATH, body)).code).toBe('TOKEN_MISSING');
      expect((await platform.as(admin).post(PATH, body)).code).toBe('FORBIDDEN');
    });
  });

  describe('closing and cancelling', () => {
    it('pays the value less the fee on closing', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await steps.create(ann, '1000.00');
      steps.advanceDays(31);
      const { status, data } = await platform.as(ann).delete(`${PATH}/${id}`);
      expect(status).toBe(200);
      expect(data).toEqual({
        investmentId: id,
        status: 'closed',
        finalValue: '1007.864477', // 1000 × 1.1^(30/365) = 1007.8644772…: 31 days, of which 30 are full
        initialInvestment: '1000.00',
        firstPrincipal: '1000.00',
        totalEarnings: '7.864477',
        roi: 0.7864, // percent: 100 × 7.864477 / 1000
        withdrawnAmount: '1007.43982', // 1007.864477 − 0.424657
        closedAt: now(),
        // managementFee: 1000 × 0.50 % × 31 / 365
        fees: { managementFee: '0.424657', performanceFee: '0.00', carriedFees: '0.00', gasFee: '0.00' },
      });
      expect(await steps.funds(ann)).toEqual({
        available: '1007.43982',
        invested: '0.00',
        earnings: '7.864477',
        fees: '0.424657',
      });
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data).toMatchObject({
        status: 'closed',
        currentValue: '1007.864477',
        totalEarnings: '7.864477',
        nextYieldDate: null,
      });
    });

    it('charges no fee on the day of creation', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await steps.create(ann, '1000.00');
      const { data } = await platform.as(ann).delete(`${PATH}/${id}`);
      expect(data).toMatchObject({
        finalValue: '1000.00',
        totalEarnings: '0.00',
        withdrawnAmount: '1000.00',
        roi: 0,
      });
      expect(await steps.funds(ann)).toEqual({
        available: '1000.00',
        invested: '0.00',
        earnings: '0.00',
        fees: '0.00',
      });
    });

    it('returns only the principal on cancelling, without growth and fee', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await steps.create(ann, '1000.00');
      steps.advanceDays(20);
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data.currentValue).not.toBe('1000.00');
      const { status, data } = await platform.as(ann).post(`${PATH}/${id}/cancel`);
      expect(status).toBe(200);
      expect(data).toEqual({ id, status: 'cancelled', message: expect.stringContaining('1000.00 USDC') });
      expect(await steps.funds(ann)).toEqual({
        available: '1000.00',
        invested: '0.00',
        earnings: '0.00',
        fees: '0.00',
      });
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data).toMatchObject({
        status: 'cancelled',
        currentValue: '1000.00',
      });
      // The forfeited growth is not part of any sum.
      expect((await platform.as(ann).get(PATH)).body.summary).toMatchObject({
        totalCurrentValue: '0.00',
        totalEarnings: '0.00',
        closed: { count: 1, principal: '1000.00', earnings: '0.00', fees: '0.00' },
      });
    });

    it('charges the fee on closing and not on cancelling while there is no growth, and neither changes the value of other investments', async () => {
      const [closing, cancelling, other] = [
        await platform.given.user().withBalance('1000.00'),
        await platform.given.user().withBalance('1000.00'),
        await platform.given.user().withBalance('1000.00'),
      ];
      const [closed, cancelled] = [
        await steps.create(closing, '1000.00'),
        await steps.create(cancelling, '1000.00'),
      ];
      const kept = await steps.create(other, '1000.00');
      steps.advanceDays(1);
      await platform.as(closing).delete(`${PATH}/${closed}`);
      await platform.as(cancelling).post(`${PATH}/${cancelled}/cancel`);
      expect((await steps.funds(closing)).available).toBe('999.986302'); // 1000 × 0.50 % × 1 / 365 = 0.013698…
      expect((await steps.funds(cancelling)).available).toBe('1000.00');
      steps.advanceDays(1);
      // 1000 × 1.1^(1/365), as without the other investments
      expect((await platform.as(other).get(`${PATH}/${kept}`)).data.currentValue).toBe('1000.261158');
    });

    it.each(['close', 'cancel'] as const)('rejects the action %s on an ended investment', async (verb) => {
      const ann = await platform.given.user().withBalance('100.00');
      const [closed, cancelled] = [await steps.create(ann, '50.00'), await steps.create(ann, '50.00')];
      await platform.as(ann).delete(`${PATH}/${closed}`);
      await platform.as(ann).post(`${PATH}/${cancelled}/cancel`);
      for (const id of [closed, cancelled]) {
        const path = `${PATH}/${id}`;
        const reply =
          verb === 'close'
            ? await platform.as(ann).delete(path)
            : await platform.as(ann).post(`${path}/cancel`);
        expect([reply.status, reply.code]).toEqual([422, 'INVESTMENT_ALREADY_CLOSED']);
      }
    });
  });

  describe('an investment of another user or an unknown one', () => {
    it.each([
      ['get', ''],
      ['delete', ''],
      ['post', '/cancel'],
    ] as const)('is rejected by %s /:id%s', async (method, tail) => {
      const [ann, bob] = [await platform.given.user().withBalance('100.00'), await platform.given.user()];
      const id = await steps.create(ann, '100.00');
      const before = await platform.ledgerState();
      const call = async (user: TestUser, investmentId: string) => {
        const reply = await platform.as(user)[method](`${PATH}/${encodeURIComponent(investmentId)}${tail}`);
        return [reply.status, reply.code];
      };
      expect(await call(bob, id)).toEqual([403, 'PERMISSION_DENIED']);
      for (const investmentId of [UNKNOWN_ID, 'nonsense', "' or 1=1", '1']) {
        expect(await call(ann, investmentId)).toEqual([404, 'INVESTMENT_NOT_FOUND']);
      }
      expect(await platform.ledgerState()).toEqual(before);
    });
  });
});
