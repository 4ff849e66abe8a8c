import { liveSteps } from '../fixtures/live.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring, fewestRoundTripsDuring } from '../harness/queries.js';

// Live delivery adds no round trip to a transaction: the events are sent with its other rows, and the database computes the
// balance while it inserts them.

const WRITES_OF_EVENTS = /domain_event|user_balance|pg_notify/;

describe('The SQL statements of a request', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it.each(['an investment', 'a withdrawal'])(
    'for %s need at most two round trips, which include its live events',
    async (operation) => {
      const user = await platform.given.user().withBalance('5000.00');
      const steps = liveSteps(platform);
      const investment = { strategyId: 'balanced-10', amount: '100.00', currency: 'USDC' };
      const send = async () => {
        const reply = await (operation === 'a withdrawal'
          ? steps.withdraw(user)
          : platform.as(user).post('/api/user/investments', investment));
        expect(reply.status).toBe(201);
      };
      const countEvents = async (type: string): Promise<number> => {
        const rows = await platform.dataSource.query<unknown[]>(
          `select from domain_event where user_id = $1 and (type = $2 or ($2 = 'balance.changed' and balance is not null))`,
          [user.id, type],
        );
        return rows.length;
      };
      const types = [
        operation === 'a withdrawal' ? 'withdrawal.requested' : 'investment.created',
        'balance.changed',
      ];
      const before = await Promise.all(types.map(countEvents));
      expect(await fewestRoundTripsDuring(send)).toBeLessThanOrEqual(2);
      const after = await Promise.all(types.map(countEvents));
      expect(after).toEqual(before.map((count) => count + 3)); // one of each for each of the three measured requests
    },
  );

  it('for a ticket are its insertion and the begin and end of the transaction', async () => {
    const user = await platform.given.user();
    const statements = await fewestQueriesDuring(() => liveSteps(platform).ticketOf(user));
    expect(statements.filter((text) => text.includes('live_ticket'))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(3);
  });

  it('that causes no live event include none for live delivery', async () => {
    const user = await platform.given.user();
    const statements = await fewestQueriesDuring(() => platform.as(user).get('/api/user/balance'));
    expect(statements.filter((text) => WRITES_OF_EVENTS.test(text))).toEqual([]);
  });
});
