import { InvestmentsService } from '../../../src/modules/investing/investments/investments.service.js';
import { BalanceService } from '../../../src/modules/portfolio/balance/balance.service.js';
import type { TestUser } from '../../fixtures/given.js';
import { DomainEventFixtures } from '../../fixtures/domain-event-fixtures.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

const PATH = '/api/user/balance';

describe('GET /api/user/balance', () => {
  let platform: TestPlatform;
  let events: DomainEventFixtures;

  beforeAll(async () => {
    platform = await startPlatform();
    events = new DomainEventFixtures(platform.app);
  });
  beforeEach(() => platform.clock.moveTo('2026-03-02T10:00:00.000Z'));
  afterAll(() => platform?.stop());

  const balance = async (user: TestUser) => (await platform.as(user).get(PATH)).data;
  const invest = (user: TestUser, strategyId: string, amount: string) =>
    platform.app.get(InvestmentsService).create(user.id, { strategyId, amount });

  it('is zero for a new user, with the time of the user’s creation', async () => {
    const user = await platform.given.user();
    platform.clock.moveTo('2026-03-02T12:00:00.000Z');
    const { status, data } = await platform.as(user).get(PATH);
    expect(status).toBe(200);
    expect(data).toEqual({
      total: '0.00',
      available: '0.00',
      invested: '0.00',
      currency: 'USDC',
      breakdown: { deposits: '0.00', withdrawals: '0.00', earnings: '0.00', fees: '0.00' },
      reserved: '0.00',
      accruedEarnings: '0.00',
      investments: [],
      updatedAt: '2026-03-02T10:00:00.000Z',
    });
  });

  it('reports deposits, investments and reserved withdrawals', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    await invest(user, 'balanced-10', '300.00');
    await invest(user, 'balanced-10', '50.000001');
    await invest(user, 'conservative-5', '100.00');
    platform.clock.moveTo('2026-03-02T11:00:00.000Z');
    await events.withdraw(user.id, '120.00');
    expect(await balance(user)).toEqual({
      total: '880.00', // 429.999999 + 450.000001
      available: '429.999999', // 1000.00 − 120.00 reserved − 450.000001 invested
      invested: '450.000001', // 300.00 + 50.000001 + 100.00
      currency: 'USDC',
      breakdown: { deposits: '1000.00', withdrawals: '120.00', earnings: '0.00', fees: '0.00' },
      reserved: '120.00',
      accruedEarnings: '0.00',
      investments: [
        { strategyId: 'conservative-5', amount: '100.00', currentValue: '100.00', apy: 5 },
        { strategyId: 'balanced-10', amount: '350.000001', currentValue: '350.000001', apy: 10 },
      ],
      updatedAt: '2026-03-02T11:00:00.000Z',
    });
  });

  it('shows growth as accrued earnings until the investment is closed', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const { id } = await invest(user, 'balanced-10', '1000.00');
    platform.clock.moveTo('2026-03-04T00:00:00.000Z'); // the second midnight: one day's growth
    const grown = await balance(user);
    expect(grown).toMatchObject({
      total: '1000.00',
      invested: '1000.00',
      accruedEarnings: '0.261158', // 1000 × (1.10^(1/365) − 1) = 0.26115788
      investments: [{ strategyId: 'balanced-10', amount: '1000.00', currentValue: '1000.261158', apy: 10 }],
      updatedAt: '2026-03-02T10:00:00.000Z', // growth changes none of the user's accounts
    });

    await platform.app.get(InvestmentsService).close(user.id, id);
    expect(await balance(user)).toMatchObject({
      total: '1000.233761', // 1000.00 + 0.261158 − 0.027397
      available: '1000.233761',
      invested: '0.00',
      breakdown: { earnings: '0.261158', fees: '0.027397' }, // 1000.00 × 0.50 % × 2 / 365 = 0.0273972…, rounded down
      accruedEarnings: '0.00',
      investments: [],
      updatedAt: '2026-03-04T00:00:00.000Z',
    });
  });

  it.each([
    ['cancelled', 'withdrawal.cancelled', { available: '100.00', reserved: '0.00', withdrawals: '0.00' }],
    ['rejected', 'withdrawal.rejected', { available: '100.00', reserved: '0.00', withdrawals: '0.00' }],
    ['completed', 'withdrawal.completed', { available: '60.00', reserved: '0.00', withdrawals: '40.00' }],
    [
      'failed, waiting for a reversal',
      'withdrawal.failed',
      { available: '60.00', reserved: '40.00', withdrawals: '40.00' },
    ],
  ] as const)('is correct after a withdrawal is %s', async (_what, name, expected) => {
    const user = await platform.given.user().withBalance('100.00');
    const withdrawal = await events.withdraw(user.id, '40.00');
    platform.clock.moveTo('2026-03-02T11:00:00.000Z');
    await events.withdrawal(name, withdrawal);
    const { available, reserved, breakdown, updatedAt } = await balance(user);
    expect({ available, reserved, withdrawals: breakdown.withdrawals }).toEqual(expected);
    // A failure changes no balance, so the time stays the same.
    expect(updatedAt).toBe(
      name === 'withdrawal.failed' ? '2026-03-02T10:00:00.000Z' : '2026-03-02T11:00:00.000Z',
    );
  });

  it('ignores ether and deposits that are not completed', async () => {
    const user = await platform.given.user();
    await events.deposit('deposit.completed', { userId: user.id, amount: '1.5', currency: 'ETH' });
    await events.deposit('deposit.seen', { userId: user.id, amount: '700.00' });
    expect(await balance(user)).toMatchObject({ total: '0.00', breakdown: { deposits: '0.00' } });
  });

  it('shows only the caller’s balance', async () => {
    const [rich, poor] = [await platform.given.user().withBalance('900.00'), await platform.given.user()];
    expect((await balance(rich)).total).toBe('900.00');
    expect((await balance(poor)).total).toBe('0.00');
  });

  it('reports as invested the sum of the listed investments, also while the user is investing', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    const investing = (async () => {
      for (let i = 0; i < 15; i++) await invest(user, 'balanced-10', '10.00');
    })();
    for (let i = 0; i < 30; i++) {
      const { invested, investments } = await balance(user);
      expect(investments[0]?.amount ?? '0.00').toBe(invested);
    }
    await investing;
  });

  it('needs one statement', async () => {
    const user = await platform.given.user().withBalance('1000.00');
    await invest(user, 'balanced-10', '100.00');
    await balance(user); // publishes and caches the values of the day
    const query = jest.spyOn(platform.dataSource, 'query');
    await platform.app.get(BalanceService).getBalance(user.id);
    const statements = query.mock.calls.filter(([, parameters]) => parameters?.includes(user.id));
    expect(statements).toHaveLength(1);
    query.mockRestore();
  });

  it('rejects anonymous callers and admins', async () => {
    expect(await platform.as(null).get(PATH)).toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
    expect(await platform.as({ token: 'x' }).get(PATH)).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    expect(await platform.as(await platform.given.admin()).get(PATH)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
    });
  });
});
