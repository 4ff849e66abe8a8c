import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { newId } from '../../src/kernel/ids.js';
import { Money } from '../../src/kernel/money.js';
import { Investments } from '../../src/modules/investments/investments.service.js';
import { InvestmentsQueries } from '../../src/modules/investments/investments.queries.js';
import { LedgerQueries } from '../../src/modules/ledger/ledger.queries.js';
import { Ledger } from '../../src/modules/ledger/ledger.service.js';
import { invested } from '../../src/modules/ledger/postings.js';
import type { TestUser } from '../support/given.js';
import { startPlatform, type TestPlatform } from '../support/platform.js';

const PATH = '/api/user/investments';
const NOBODYS = '0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11';
const START = '2026-03-02T10:00:00.000Z';
// Forty at once on two busy cores: what is tested is who wins, not how long they wait.
const PATIENT = { DATABASE_LOCK_MS: '20000', DATABASE_POOL_WAIT_MS: '10000' };

describe('investments', () => {
  let platform: TestPlatform;
  let day = START;
  beforeAll(async () => {
    platform = await startPlatform({ settings: PATIENT, at: START });
  });
  afterAll(() => platform.stop());

  const invest = (user: TestUser, amount: unknown, more: object = {}) =>
    platform.as(user).post(PATH, { strategyId: 'balanced-10', amount, ...more });
  const queries = () => platform.app.get(InvestmentsQueries);

  async function made(user: TestUser, amount: string, strategyId = 'balanced-10'): Promise<string> {
    return (await invest(user, amount, { strategyId })).data.id;
  }

  async function funds(user: TestUser) {
    const {
      available,
      invested: held,
      earnings,
      fees,
    } = await platform.app.get(LedgerQueries).fundsOf(user.id);
    return {
      available: available.toWire(),
      invested: held.toWire(),
      earnings: earnings.toWire(),
      fees: fees.toWire(),
    };
  }

  /** Days only go forward: every test that needs some moves on from where the last one stopped. */
  function daysLater(days: number): void {
    const next = new Date(Date.parse(day) + days * 86_400_000);
    day = next.toISOString();
    platform.clock.moveTo(next);
  }

  const midnight = (days: number) =>
    `${new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;

  describe('making one', () => {
    it('moves the principal and answers with the investment', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { status, data } = await invest(ann, '120.50');
      expect(status).toBe(201);
      expect(data).toEqual({
        id: expect.any(String),
        userId: ann.id,
        strategyId: 'balanced-10',
        strategyName: 'Balanced 10%',
        amount: '120.50',
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
        createdAt: day,
        lastUpdated: day,
        nextYieldDate: midnight(2),
      });
      // 500.00 − 120.50 = 379.50
      expect(await funds(ann)).toEqual({
        available: '379.50',
        invested: '120.50',
        earnings: '0.00',
        fees: '0.00',
      });
    });

    it.each(['10', '10.00', '1000000', '999999.999999'])('takes %s', async (amount) => {
      const ann = await platform.given.user().withBalance('1000000');
      expect((await invest(ann, amount)).status).toBe(201);
    });

    const wrong: [string, object, number, string][] = [
      ['less than 10', { amount: '9.999999' }, 400, 'INVALID_AMOUNT'],
      ['more than 1000000', { amount: '1000000.000001' }, 400, 'INVALID_AMOUNT'],
      ['nothing', { amount: '0' }, 400, 'INVALID_AMOUNT'],
      ['a negative amount', { amount: '-100' }, 400, 'INVALID_AMOUNT'],
      ['a signed amount', { amount: '+100' }, 400, 'INVALID_AMOUNT'],
      ['a JSON number', { amount: 100 }, 400, 'INVALID_AMOUNT'],
      ['an exponent', { amount: '1e3' }, 400, 'INVALID_AMOUNT'],
      ['a seventh decimal', { amount: '100.0000001' }, 400, 'INVALID_AMOUNT'],
      ['spaces', { amount: ' 100 ' }, 400, 'INVALID_AMOUNT'],
      ['a leading zero', { amount: '0100' }, 400, 'INVALID_AMOUNT'],
      ['a comma', { amount: '100,00' }, 400, 'INVALID_AMOUNT'],
      ['nineteen digits', { amount: '1000000000000000000' }, 400, 'INVALID_AMOUNT'],
      ['other digits', { amount: '１００' }, 400, 'INVALID_AMOUNT'],
      ['no text', { amount: null }, 400, 'INVALID_AMOUNT'],
      ['a list', { amount: ['100'] }, 400, 'INVALID_AMOUNT'],
      ['an object', { amount: { value: '100' } }, 400, 'INVALID_AMOUNT'],
      ['no amount', { amount: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
      ['no strategy', { strategyId: undefined }, 400, 'MISSING_REQUIRED_FIELD'],
      ['an unknown strategy', { strategyId: 'balanced-11' }, 422, 'INVALID_STRATEGY'],
      ['a strategy that is a number', { strategyId: 10 }, 400, 'VALIDATION_ERROR'],
      ['a strategy without end', { strategyId: 'x'.repeat(101) }, 400, 'VALIDATION_ERROR'],
      ['another currency', { currency: 'USDT' }, 400, 'VALIDATION_ERROR'],
      ['a key that is no UUID', { idempotencyKey: 'again' }, 400, 'VALIDATION_ERROR'],
      ['a key that is no UUID v4', { idempotencyKey: NOBODYS }, 400, 'VALIDATION_ERROR'],
      ['a field nobody knows', { note: 'hello' }, 400, 'VALIDATION_ERROR'],
      ['a field of ours', { userId: NOBODYS }, 400, 'VALIDATION_ERROR'],
      ['more than there is', { amount: '500.000001' }, 422, 'INSUFFICIENT_BALANCE'],
    ];
    it.each(wrong)('with %s is refused and moves nothing', async (_what, more, status, code) => {
      const ann = await platform.given.user().withBalance('500.00');
      const before = await platform.ledgerState();
      const reply = await invest(ann, '100', more);
      expect([reply.status, reply.code]).toEqual([status, code]);
      expect(await platform.ledgerState()).toEqual(before);
      expect((await platform.as(ann).get(PATH)).data).toEqual([]);
    });

    it('says how much is missing', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const { body } = await invest(ann, '620.25');
      // 620.25 − 500.00 = 120.25
      expect(body.error.details).toEqual({ available: '500.00', requested: '620.25', shortfall: '120.25' });
    });

    it('needs a user: no token, an admin', async () => {
      const admin = await platform.given.admin();
      const body = { strategyId: 'balanced-10', amount: '100' };
      expect((await platform.as(null).post(PATH, body)).code).toBe('TOKEN_MISSING');
      expect((await platform.as(admin).post(PATH, body)).code).toBe('FORBIDDEN');
    });
  });

  describe('many at once', () => {
    it('lets exactly one of forty spend the whole balance', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const replies = await Promise.all(Array.from({ length: 40 }, () => invest(ann, '500.00')));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(replies.filter(({ status }) => status !== 201).map(({ code }) => code))).toEqual(
        new Set(['INSUFFICIENT_BALANCE']),
      );
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('is refused by the database itself when nothing above it checks', async () => {
      const ann = await platform.given.user().withBalance('500.00');
      const [uow, ledger] = [platform.app.get(UnitOfWork), platform.app.get(Ledger)];
      const principal = Money.of('500');
      const facts = {
        userId: ann.id,
        strategyId: 'balanced-10',
        principal,
        units: Money.ZERO,
        at: new Date(day),
      };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, () =>
          uow.run((tx) => ledger.post(tx, invested({ ...facts, investmentId: newId() }))),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(String(outcome.reason)).toContain('ledger_account_balance_not_negative');
      }
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '500.00' });
    });

    it('makes one investment of one key; the others are told which', async () => {
      const ann = await platform.given.user().withBalance('100.00'); // enough for one only: the key comes first
      const idempotencyKey = randomUUID();
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => invest(ann, '100.00', { idempotencyKey })),
      );
      const [first, ...more] = replies.filter(({ status }) => status === 201);
      expect(more).toEqual([]);
      for (const reply of replies.filter((other) => other !== first)) {
        expect([reply.status, reply.code]).toEqual([409, 'DUPLICATE_INVESTMENT']);
        expect(reply.body.error.details).toEqual({ investmentId: first?.data.id });
      }
      expect(await funds(ann)).toMatchObject({ available: '0.00', invested: '100.00' });
    });

    it('keeps the key of a refused request unused, and one user’s keys apart from another’s', async () => {
      const [ann, bob] = [await platform.given.user(), await platform.given.user().withBalance('100')];
      const idempotencyKey = randomUUID();
      expect((await invest(ann, '100', { idempotencyKey })).code).toBe('INSUFFICIENT_BALANCE');
      await platform.given.deposit(ann.id, '200');
      expect((await invest(ann, '100', { idempotencyKey })).status).toBe(201);
      expect((await invest(ann, '50', { idempotencyKey: idempotencyKey.toUpperCase() })).status).toBe(409);
      expect((await invest(bob, '100', { idempotencyKey })).status).toBe(201);
    });

    it('closes an investment once, whatever is asked of it in parallel', async () => {
      const ann = await platform.given.user().withBalance('100.00');
      const id = await made(ann, '100.00');
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, place) =>
          place % 2
            ? platform.as(ann).delete(`${PATH}/${id}`)
            : platform.as(ann).post(`${PATH}/${id}/cancel`),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ code }) => code === 'INVESTMENT_ALREADY_CLOSED')).toHaveLength(9);
      expect(await funds(ann)).toMatchObject({ available: '100.00', invested: '0.00' });
    });
  });

  describe('ending one', () => {
    it('pays the value less the fee', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await made(ann, '1000.00');
      daysLater(31);
      const { status, data } = await platform.as(ann).delete(`${PATH}/${id}`);
      expect(status).toBe(200);
      expect(data).toEqual({
        investmentId: id,
        status: 'closed',
        finalValue: '1007.864477', // 1000 × 1.1^(30/365): 31 days on, 30 of them full = 1007.8644772…
        initialInvestment: '1000.00',
        totalEarnings: '7.864477',
        roi: 0.7864,
        withdrawnAmount: '1007.43982', // 1007.864477 − 0.424657
        closedAt: day,
        fees: { managementFee: '0.424657', performanceFee: '0.00', gasFee: '0.00' }, // 1000 × 0.50 % × 31 / 365
      });
      expect(await funds(ann)).toEqual({
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

    it('costs nothing on the same day', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await made(ann, '1000.00');
      const { data } = await platform.as(ann).delete(`${PATH}/${id}`);
      expect(data).toMatchObject({
        finalValue: '1000.00',
        totalEarnings: '0.00',
        withdrawnAmount: '1000.00',
        roi: 0,
      });
      expect(await funds(ann)).toEqual({
        available: '1000.00',
        invested: '0.00',
        earnings: '0.00',
        fees: '0.00',
      });
    });

    it('by cancelling returns the principal and forfeits the growth, without a fee', async () => {
      const ann = await platform.given.user().withBalance('1000.00');
      const id = await made(ann, '1000.00');
      daysLater(20);
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data.currentValue).not.toBe('1000.00');
      const { status, data } = await platform.as(ann).post(`${PATH}/${id}/cancel`);
      expect(status).toBe(200);
      expect(data).toEqual({ id, status: 'cancelled', message: expect.stringContaining('1000.00 USDC') });
      expect(await funds(ann)).toEqual({
        available: '1000.00',
        invested: '0.00',
        earnings: '0.00',
        fees: '0.00',
      });
      expect((await platform.as(ann).get(`${PATH}/${id}`)).data).toMatchObject({
        status: 'cancelled',
        currentValue: '1000.00',
      });
      // what was forfeited stands in no sum either
      expect((await platform.as(ann).get(PATH)).body.summary).toMatchObject({
        totalCurrentValue: '1000.00',
        totalEarnings: '0.00',
      });
    });

    it.each(['close', 'cancel'] as const)('is done once: to %s what has ended is refused', async (verb) => {
      const ann = await platform.given.user().withBalance('100.00');
      const [closed, cancelled] = [await made(ann, '50.00'), await made(ann, '50.00')];
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

  describe('of others, or of nobody', () => {
    it.each([
      ['get', ''],
      ['delete', ''],
      ['post', '/cancel'],
    ] as const)('%s %s is refused', async (method, tail) => {
      const [ann, bob] = [await platform.given.user().withBalance('100.00'), await platform.given.user()];
      const id = await made(ann, '100.00');
      const before = await platform.ledgerState();
      const call = async (user: TestUser, which: string) => {
        const reply = await platform.as(user)[method](`${PATH}/${encodeURIComponent(which)}${tail}`);
        return [reply.status, reply.code];
      };
      expect(await call(bob, id)).toEqual([403, 'PERMISSION_DENIED']);
      for (const which of [NOBODYS, 'nonsense', "' or 1=1", '1']) {
        expect(await call(ann, which)).toEqual([404, 'INVESTMENT_NOT_FOUND']);
      }
      expect(await platform.ledgerState()).toEqual(before);
    });
  });

  describe('the list', () => {
    it('pages, sorts, filters, and sums over all that match', async () => {
      const ann = await platform.given.user().withBalance('10000.00');
      const amounts = ['100', '300', '200', '400', '50'];
      for (const [place, amount] of amounts.entries()) {
        platform.clock.advance(1000);
        await made(ann, amount, place % 2 ? 'conservative-5' : 'aggressive-20');
      }
      const list = async (query: string) => (await platform.as(ann).get(`${PATH}?${query}`)).body;
      const shown = async (query: string) =>
        (await list(query)).data.map(({ amount }: { amount: string }) => amount).join(' ');

      const page = await list('page=2&limit=2');
      expect(page.data.map(({ amount }: { amount: string }) => amount)).toEqual(['200.00', '300.00']);
      expect(page.pagination).toEqual({
        page: 2,
        limit: 2,
        total: 5,
        totalPages: 3,
        hasNext: true,
        hasPrevious: true,
      });
      expect(page.summary).toEqual({
        totalInvested: '1050.00', // 100 + 300 + 200 + 400 + 50
        totalCurrentValue: '1050.00',
        totalEarnings: '0.00',
        averageROI: 0,
        activeInvestments: 5,
      });
      expect(Object.keys(page.data[0]).sort()).toEqual(
        [
          'id',
          'strategyId',
          'strategyName',
          'amount',
          'currentValue',
          'totalEarnings',
          'apy',
          'roi',
          'status',
          'createdAt',
          'nextYieldDate',
        ].sort(),
      );
      expect(await shown('orderBy=asc')).toBe('100.00 300.00 200.00 400.00 50.00');
      expect(await shown('sortBy=amount')).toBe('400.00 300.00 200.00 100.00 50.00');
      expect(await shown('sortBy=currentValue&orderBy=asc')).toBe('50.00 100.00 200.00 300.00 400.00');
      expect(await shown('strategyId=conservative-5')).toBe('400.00 300.00');
      expect(await shown('strategyId=unheard-of')).toBe('');
      expect(await shown('status=closed')).toBe('');
      expect((await list('page=9')).data).toEqual([]);
      expect((await list('page=9')).pagination.total).toBe(5);
    });

    it('is empty for a new user, and sums to nothing', async () => {
      const { body } = await platform.as(await platform.given.user()).get(PATH);
      expect(body.data).toEqual([]);
      expect(body.summary).toMatchObject({ totalInvested: '0.00', averageROI: 0, activeInvestments: 0 });
      expect(body.pagination).toMatchObject({ page: 1, limit: 20, total: 0, totalPages: 0 });
    });

    it.each([
      ['page=0', 'INVALID_PAGINATION'],
      ['page=-1', 'INVALID_PAGINATION'],
      ['page=one', 'INVALID_PAGINATION'],
      ['page=1.5', 'INVALID_PAGINATION'],
      ['limit=0', 'INVALID_PAGINATION'],
      ['limit=101', 'INVALID_PAGINATION'],
      ['page=1&page=2', 'INVALID_PAGINATION'],
      ['page=99999999999999999999', 'INVALID_PAGINATION'],
      ['status=open', 'VALIDATION_ERROR'],
      ['status=active&status=closed', 'VALIDATION_ERROR'],
      ['sortBy=userId', 'VALIDATION_ERROR'],
      ['sortBy=amount;drop', 'VALIDATION_ERROR'],
      ['orderBy=up', 'VALIDATION_ERROR'],
    ])('refuses ?%s with %s', async (query, code) => {
      const reply = await platform.as(await platform.given.user()).get(`${PATH}?${query}`);
      expect([reply.status, reply.code]).toEqual([400, code]);
    });
  });

  describe('the performance', () => {
    it('sums open investments by strategy and remembers what closed ones brought', async () => {
      const ann = await platform.given.user().withBalance('3000.00');
      const first = await made(ann, '1000.00');
      await made(ann, '1000.00', 'aggressive-20');
      await made(ann, '500.00', 'aggressive-20');
      daysLater(31);
      await platform.as(ann).delete(`${PATH}/${first}`);
      const { data } = await platform.as(ann).get(`${PATH}/performance`);
      // Open: 1000 and 500 at 20 % for 30 full days: × 1.2^(30/365) = 1015.0981765… and 507.5490882…
      expect(data).toEqual({
        portfolio: {
          totalInvested: '1500.00',
          totalCurrentValue: '1522.647265',
          totalEarnings: '22.647265',
          totalReturn: '30.087085', // 22.647265 + 7.864477 − 0.424657
          averageROI: 1.5098,
          weightedAPY: 20,
        },
        investments: [
          {
            strategyId: 'aggressive-20',
            strategyName: 'Aggressive 20%',
            totalInvested: '1500.00',
            currentValue: '1522.647265',
            earnings: '22.647265',
            roi: 1.5098,
            count: 2,
          },
        ],
        breakdown: { byStatus: { active: 2, paused: 0, closed: 1 }, byStrategy: { 'aggressive-20': 2 } },
      });
      const [position] = await queries().openPositionsOf(ann.id);
      expect(position).toMatchObject({
        strategyId: 'aggressive-20',
        amount: Money.of('1500'),
        currentValue: Money.of('1522.647265'),
      });
    });

    it('of nothing is nothing', async () => {
      const { data } = await platform.as(await platform.given.user()).get(`${PATH}/performance`);
      expect(data).toMatchObject({ portfolio: { totalInvested: '0.00', weightedAPY: 0 }, investments: [] });
    });
  });
});

describe('investments under other settings', () => {
  let platform: TestPlatform;
  afterEach(() => platform.stop());

  async function annInvests(amount: string, settings: Record<string, string>, strategyId = 'balanced-10') {
    platform = await startPlatform({ settings, at: START });
    const ann = await platform.given.user().withBalance('2000.00');
    return { ann, reply: await platform.as(ann).post(PATH, { strategyId, amount }) };
  }

  it('wait for approval from the threshold on, and earn from the day they get it', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_APPROVAL_THRESHOLD: '1000' });
    const { id } = reply.data;
    expect(reply.data).toMatchObject({
      status: 'pending',
      nextYieldDate: null,
      performance: { dailyYield: '0.00' },
    });
    expect(
      (await platform.as(ann).post(PATH, { strategyId: 'balanced-10', amount: '999.999999' })).data.status,
    ).toBe('active');
    expect((await platform.as(ann).delete(`${PATH}/${id}`)).body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { status: 'pending', action: 'close', allowedFrom: ['active'] },
    });

    platform.clock.moveTo('2026-03-12T10:00:00Z');
    expect((await platform.as(ann).get(`${PATH}/${id}`)).data.currentValue).toBe('1000.00');
    await platform.app.get(Investments).approve(id, 'admin@example.com');
    platform.clock.moveTo('2026-03-14T00:00:00Z');
    expect((await platform.as(ann).get(`${PATH}/${id}`)).data).toMatchObject({
      status: 'active',
      currentValue: '1000.261158', // the 13th: 1000 × 1.1^(1/365)
      approvedBy: 'admin@example.com',
      approvedAt: '2026-03-12T10:00:00.000Z',
    });
  });

  it('give the principal back when they are rejected or cancelled while they wait', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_APPROVAL_THRESHOLD: '500' });
    const second = await platform.as(ann).post(PATH, { strategyId: 'balanced-10', amount: '500' });
    await platform.app.get(Investments).reject(reply.data.id);
    expect((await platform.as(ann).post(`${PATH}/${second.data.id}/cancel`)).status).toBe(200);
    const funds = await platform.app.get(LedgerQueries).fundsOf(ann.id);
    expect([funds.available.toWire(), funds.invested.toWire()]).toEqual(['2000.00', '0.00']);
    await expect(platform.app.get(Investments).approve(reply.data.id, 'x')).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it('are locked for as long as the configuration says', async () => {
    const { ann, reply } = await annInvests('1000.00', { INVESTMENT_LOCK_DAYS: '7' });
    const path = `${PATH}/${reply.data.id}`;
    platform.clock.moveTo('2026-03-09T09:59:59.999Z');
    const refused = await platform.as(ann).delete(path);
    expect([refused.status, refused.code]).toEqual([422, 'INVESTMENT_LOCKED']);
    expect(refused.body.error.details).toEqual({ lockedUntil: '2026-03-09T10:00:00.000Z' });
    platform.clock.moveTo('2026-03-09T10:00:00.000Z');
    expect((await platform.as(ann).delete(path)).status).toBe(200);
  });

  it('are not made in a suspended strategy', async () => {
    const { ann, reply } = await annInvests('1000.00', { SUSPENDED_STRATEGIES: 'balanced-10' });
    expect([reply.status, reply.code]).toEqual([422, 'STRATEGY_NOT_AVAILABLE']);
    const funds = await platform.app.get(LedgerQueries).fundsOf(ann.id);
    expect(funds.available.toWire()).toBe('2000.00');
  });
});
