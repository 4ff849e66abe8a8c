import { INVESTMENTS, InvestmentSteps } from '../../fixtures/investments.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';

describe('Concurrent moves of investments', () => {
  let platform: TestPlatform;
  let steps: InvestmentSteps;
  beforeAll(async () => {
    platform = await startPlatform();
    steps = new InvestmentSteps(platform);
    // Opens database connections in advance; otherwise the first request could end before the second one has a connection.
    await Promise.all(Array.from({ length: 20 }, () => platform.dataSource.query('select pg_sleep(0.1)')));
  });
  afterAll(() => platform?.stop());

  it('compete with closings and cancellations of the same investment, and exactly one request succeeds', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    const id = await steps.create(ann, '100.00');
    const path = `${INVESTMENTS}/${id}`;
    const operations = [
      () => steps.move(ann, id),
      () => steps.move(ann, id, 'conservative-5'),
      () => platform.as(ann).delete(path),
      () => platform.as(ann).post(`${path}/cancel`),
    ];
    const fourOfEach = [...operations, ...operations, ...operations, ...operations];
    const replies = await Promise.all(fourOfEach.map((send) => send()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ code }) => code === 'INVESTMENT_ALREADY_CLOSED')).toHaveLength(15);
    const { data } = await platform.as(ann).get('/api/user/balance');
    expect(data.total).toBe('100.00');
    await steps.requireBalanceRules(ann);
    await steps.requireMatchingUnits();
  });

  it('in opposite directions all succeed', async () => {
    const users = await Promise.all(
      Array.from({ length: 6 }, () => platform.given.user().withBalance('200.00')),
    );
    const pairs = await Promise.all(
      users.map(async (user) => ({
        user,
        aggressiveId: await steps.create(user, '100.00', 'aggressive-20'),
        balancedId: await steps.create(user, '100.00', 'balanced-10'),
      })),
    );
    const replies = await Promise.all(
      pairs.flatMap(({ user, aggressiveId, balancedId }) => [
        steps.move(user, aggressiveId, 'balanced-10'),
        steps.move(user, balancedId, 'aggressive-20'),
      ]),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    for (const { user } of pairs) await steps.requireBalanceRules(user);
    await steps.requireMatchingUnits();
  });

  it('make no money available to concurrent investments and withdrawals', async () => {
    const ann = await platform.given.user().withBalance('100.00');
    const id = await steps.create(ann, '100.00');
    const [moved, ...others] = await Promise.all([
      steps.move(ann, id),
      ...Array.from({ length: 6 }, () =>
        platform.as(ann).post(INVESTMENTS, { strategyId: 'balanced-10', amount: '100.00' }),
      ),
      platform.as(ann).post('/api/user/withdrawals', {
        amount: '50.00',
        currency: 'USDC',
        toAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      }),
    ]);
    expect(moved.status).toBe(200);
    expect(new Set(others.map(({ code }) => code))).toEqual(new Set(['INSUFFICIENT_BALANCE']));
    await steps.requireBalanceRules(ann);
  });
});
