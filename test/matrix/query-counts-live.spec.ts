import { liveSteps } from '../fixtures/live.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring } from '../harness/queries.js';

// Live delivery may add one statement to a transaction: the rows are collected, and the database computes the balance
// while it inserts them. A second statement would cost a further round trip in every transaction that moves money.

const WRITES_OF_EVENTS = /live_event|live_balance|pg_notify/;

describe('The statements of a write', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform.stop());

  it.each([
    ['an investment', 13],
    ['a withdrawal', 13],
  ])('for %s are at most %i, of which one inserts all live events', async (what, most) => {
    const user = await platform.given.user().withBalance('5000.00');
    const steps = liveSteps(platform);
    const investment = { strategyId: 'balanced-10', amount: '100.00', currency: 'USDC' };
    const statements = await fewestQueriesDuring(async () => {
      const reply = await (what === 'a withdrawal'
        ? steps.withdraw(user)
        : platform.as(user).post('/api/user/investments', investment));
      expect(reply.status).toBe(201);
    });
    expect(statements.filter((text) => WRITES_OF_EVENTS.test(text))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(most);
  });

  it('of a ticket are the insertion and its transaction', async () => {
    const user = await platform.given.user();
    const statements = await fewestQueriesDuring(() => liveSteps(platform).ticketOf(user));
    expect(statements.filter((text) => text.includes('live_ticket'))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(3);
  });

  it('of a request without events are none for live delivery', async () => {
    const user = await platform.given.user();
    const statements = await fewestQueriesDuring(() => platform.as(user).get('/api/user/balance'));
    expect(statements.filter((text) => WRITES_OF_EVENTS.test(text))).toEqual([]);
  });
});
