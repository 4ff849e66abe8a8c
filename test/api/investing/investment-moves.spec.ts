import { Money } from '../../../src/common/money.js';
import type { TestUser } from '../../fixtures/given.js';
import { INVESTMENTS, InvestmentSteps } from '../../fixtures/investments.js';
import { UNKNOWN_ID } from '../../fixtures/withdrawals.js';
import type { Reply } from '../../harness/http-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const START = '2026-03-02T10:00:00.000Z';

interface Moved {
  ann: TestUser;
  /** The id of the investment that the move closed. */
  id: string;
  /** The response to the move. */
  reply: Reply;
}

describe('PUT /api/user/investments/:id (moving an investment to another strategy)', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  /** Two investments of 1000.00, moved after 31 days, at the domain time `movedAt`; a test lets `growing` grow and closes it. */
  const moved = {} as Moved;
  const growing = {} as Moved;
  let movedAt: string;

  beforeAll(async () => {
    platform = await startPlatform({ at: START });
    steps = new InvestmentSteps(platform);
    moved.ann = await platform.given.user().withBalance('1500.00');
    growing.ann = await platform.given.user().withBalance('1000.00');
    for (const move of [moved, growing]) move.id = await steps.create(move.ann, '1000.00');
    steps.advanceDays(31);
    movedAt = platform.clock.now().toISOString();
    for (const move of [moved, growing]) move.reply = await steps.move(move.ann, move.id);
  });
  afterAll(() => platform?.stop());

  it('closes the investment and opens another one with its whole value, without a fee', async () => {
    const { ann, id, reply } = moved;
    const { status, data } = reply;
    expect(status).toBe(200);
    expect(data).toEqual({
      id: expect.not.stringContaining(id),
      userId: ann.id,
      strategyId: 'aggressive-20',
      strategyName: 'Aggressive 20%',
      amount: '1007.864477', // 1000 × 1.1^(30/365) = 1007.8644772…
      firstPrincipal: '1000.00',
      carriedFees: '0.424657', // 1000 × 0.50 % × 31 / 365
      currency: 'USDC',
      apy: 20,
      status: 'active',
      allocation: { pendle: '705.505133', convex: '302.359344' }, // 70 %, rounded down, and the remainder
      performance: {
        currentValue: '1007.864477',
        totalEarnings: '7.864477', // from the first principal
        roi: 0.7864, // percent: 100 × 7.864477 / 1000
        dailyYield: '0.503565', // 1007.864477 × (1.2^(1/365) − 1) = 0.5035652…
        projectedAnnualReturn: '201.572895', // 20 % of 1007.864477 = 201.5728954
      },
      createdAt: movedAt,
      lastUpdated: movedAt,
      nextYieldDate: '2026-04-04T00:00:00.000Z', // the second midnight after the move on 2 April
    });
    expect(await steps.detail(ann, id)).toMatchObject({
      status: 'closed',
      currentValue: '1007.864477',
      totalEarnings: '7.864477',
      lastUpdated: movedAt,
      nextYieldDate: null,
    });
    expect((await platform.as(ann).get('/api/user/balance')).data).toMatchObject({
      total: '1507.864477', // 500.00 + 1007.864477
      available: '500.00',
      invested: '1007.864477',
      breakdown: { deposits: '1500.00', withdrawals: '0.00', earnings: '7.864477', fees: '0.00' },
      investments: [{ strategyId: 'aggressive-20', amount: '1007.864477' }],
    });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('records each movement as a transaction and notifies about both investments', async () => {
    const { ann, id } = moved;
    const { data: next } = moved.reply;
    const { data } = await platform.as(ann).get('/api/user/transactions?limit=100');
    const records = data.map(({ type, amount, status, strategyId, metadata }: any) =>
      [type, amount, status, strategyId, metadata.balanceChange].join(' '),
    );
    expect(records.sort()).toEqual([
      'deposit 1500.00 completed  1500.00',
      'divestment 1000.00 completed balanced-10 1000.00',
      'earning 7.864477 completed balanced-10 7.864477',
      'investment 1000.00 completed balanced-10 -1000.00',
      'investment 1007.864477 completed aggressive-20 -1007.864477',
    ]);
    const { data: notes } = await platform.as(ann).get('/api/user/notifications?type=investment&orderBy=asc');
    expect(notes.slice(1).map(({ message, metadata }: any) => [metadata.investmentId, message])).toEqual([
      [
        id,
        'Your investment of 1000.00 USDC in Balanced 10% is closed. Its value of 1007.864477 USDC goes on in Aggressive 20%.',
      ],
      [next.id, 'You have moved 1007.864477 USDC from Balanced 10% into Aggressive 20%.'],
    ]);
  });

  it('opens an investment that grows at the new rate from the second midnight on and is closed with the fees of both legs', async () => {
    const { ann } = growing;
    const { data: next } = growing.reply;
    steps.advanceDays(1);
    expect((await steps.detail(ann, next.id)).currentValue).toBe('1007.864477');
    steps.advanceDays(30);
    const { data } = await platform.as(ann).delete(`${INVESTMENTS}/${next.id}`);
    expect(data).toMatchObject({
      initialInvestment: '1007.864477',
      finalValue: '1023.081393', // 1007.864477 × 1.2^(30/365) = 1023.0813927…
      fees: { managementFee: '0.427997', carriedFees: '0.424657' }, // 1007.864477 × 0.50 % × 31 / 365 = 0.4279972…
      withdrawnAmount: '1022.228739', // 1023.081393 − 0.427997 − 0.424657
    });
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('needs no available balance and leaves it unchanged', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    const id = await steps.create(ann, '100.00');
    expect((await steps.move(ann, id)).data.amount).toBe('100.00'); // on the same day: no growth yet
    expect((await platform.as(ann).get('/api/user/balance')).data.available).toBe('0.00');
    await steps.requireBalanceRules(ann);
  });

  it('can be repeated, also back to the first strategy', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    let id = await steps.create(ann, '100.00');
    const ids = [id];
    for (const strategyId of ['conservative-5', 'aggressive-20', 'balanced-10', 'conservative-5']) {
      steps.advanceDays(2);
      const { status, data } = await steps.move(ann, id, strategyId);
      expect(status).toBe(200);
      id = data.id;
      ids.push(id);
    }
    const { data, summary, pagination } = await steps.list(ann);
    expect(pagination.total).toBe(1);
    expect(data).toMatchObject([{ id }]);
    expect(summary.activeInvestments).toBe(1);
    // Each investment begins with the final value of the previous one.
    const chain: { amount: string; currentValue: string }[] = [];
    for (const leg of ids) chain.push(await steps.detail(ann, leg));
    expect(chain.slice(1).map(({ amount }) => amount)).toEqual(
      chain.slice(0, -1).map(({ currentValue }) => currentValue),
    );
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('accepts a value above the maximum for new investments', async () => {
    const ann = await platform.given.user().withBalance('1000000.00');
    const id = await steps.create(ann, '1000000.00');
    steps.advanceDays(2);
    const { status, data } = await steps.move(ann, id, 'conservative-5');
    expect(status).toBe(200);
    expect(Money.of(data.amount).isMoreThan(Money.of('1000000'))).toBe(true);
  });

  it('leaves other investments of the user unchanged', async () => {
    const ann = await platform.given.user().withBalance('300.00');
    const id = await steps.create(ann, '100.00');
    const sameStrategyId = await steps.create(ann, '100.00');
    const newStrategyId = await steps.create(ann, '100.00', 'aggressive-20');
    const readOthers = async () => [
      await steps.detail(ann, sameStrategyId),
      await steps.detail(ann, newStrategyId),
    ];
    steps.advanceDays(2);
    const before = await readOthers();
    await steps.move(ann, id);
    expect(await readOthers()).toEqual(before);
  });

  describe('rejects, without any change,', () => {
    const wrong: [string, unknown, number, string][] = [
      ['to an unknown strategy', { strategyId: 'balanced-11' }, 422, 'INVALID_STRATEGY'],
      ['to its present strategy', { strategyId: 'balanced-10' }, 422, 'INVALID_STRATEGY'],
      ['to an empty name', { strategyId: '' }, 400, 'VALIDATION_ERROR'],
      ['to a name that is too long', { strategyId: 'x'.repeat(101) }, 400, 'VALIDATION_ERROR'],
      ['to a number', { strategyId: 10 }, 400, 'VALIDATION_ERROR'],
      ['to a list', { strategyId: ['aggressive-20'] }, 400, 'VALIDATION_ERROR'],
      ['to the name of an object property', { strategyId: 'constructor' }, 422, 'INVALID_STRATEGY'],
      ['to null', { strategyId: null }, 400, 'VALIDATION_ERROR'],
      ['without a strategy', {}, 400, 'MISSING_REQUIRED_FIELD'],
      ['without a body', undefined, 400, 'MISSING_REQUIRED_FIELD'],
      ['with an amount', { strategyId: 'aggressive-20', amount: '10' }, 400, 'VALIDATION_ERROR'],
      ['with a user', { strategyId: 'aggressive-20', userId: UNKNOWN_ID }, 400, 'VALIDATION_ERROR'],
    ];
    let ann: TestUser;
    let id: string;
    beforeAll(async () => {
      ann = await platform.given.user().withBalance('100.00');
      id = await steps.create(ann, '100.00');
    });

    it.each(wrong)('a move %s', async (_what, body, status, code) => {
      const [ledger, investment] = [await platform.ledgerState(), await steps.detail(ann, id)];
      const reply = await platform.as(ann).put(`${INVESTMENTS}/${id}`, body);
      expect([reply.status, reply.code]).toEqual([status, code]);
      expect(await platform.ledgerState()).toEqual(ledger);
      expect(await steps.detail(ann, id)).toEqual(investment);
    });

    it('a move of another user’s or an unknown investment', async () => {
      const bob = await platform.given.user();
      const before = await platform.ledgerState();
      const statusAndCodeOf = async (user: TestUser, investmentId: string) => {
        const reply = await steps.move(user, encodeURIComponent(investmentId));
        return [reply.status, reply.code];
      };
      expect(await statusAndCodeOf(bob, id)).toEqual([403, 'PERMISSION_DENIED']);
      for (const investmentId of [UNKNOWN_ID, 'nonsense', "' or 1=1", '1'])
        expect(await statusAndCodeOf(ann, investmentId)).toEqual([404, 'INVESTMENT_NOT_FOUND']);
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('a move of an investment that was closed, cancelled or moved', async () => {
      const ann = await platform.given.user().withBalance('300.00');
      const [closedId, cancelledId, movedId] = [
        await steps.create(ann, '100.00'),
        await steps.create(ann, '100.00'),
        await steps.create(ann, '100.00'),
      ];
      await platform.as(ann).delete(`${INVESTMENTS}/${closedId}`);
      await platform.as(ann).post(`${INVESTMENTS}/${cancelledId}/cancel`);
      await steps.move(ann, movedId);
      const before = await platform.ledgerState();
      for (const investmentId of [closedId, cancelledId, movedId]) {
        const reply = await steps.move(ann, investmentId, 'conservative-5');
        expect([reply.status, reply.code]).toEqual([422, 'INVESTMENT_ALREADY_CLOSED']);
      }
      expect(await platform.ledgerState()).toEqual(before);
    });

    it('anonymous callers and admins', async () => {
      const admin = await platform.given.admin();
      const body = { strategyId: 'aggressive-20' };
      const investment = await steps.detail(ann, id);
      expect((await platform.as(null).put(`${INVESTMENTS}/${id}`, body)).code).toBe('TOKEN_MISSING');
      expect((await platform.as(admin).put(`${INVESTMENTS}/${id}`, body)).code).toBe('FORBIDDEN');
      expect(await steps.detail(ann, id)).toEqual(investment);
    });
  });
});
