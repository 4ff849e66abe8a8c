import { liveSteps } from '../fixtures/live.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { fewestQueriesDuring, statementsDuring } from '../harness/queries.js';

// Live delivery adds no statement to a transaction: the events are collected and go out with the other rows of the commit,
// and the database computes the balance while it inserts them.

const WRITES_OF_EVENTS = /live_event|live_balance|pg_notify/;

describe('The SQL statements of a request', () => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await startPlatform();
  });
  afterAll(() => platform?.stop());

  it.each(['an investment', 'a withdrawal'])(
    'for %s are four, and one of them inserts all live events with the other rows',
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
      expect(await fewestQueriesDuring(send)).toHaveLength(4);
      const statements = await statementsDuring(send);
      const withEvents = statements.filter(({ text, values }) =>
        WRITES_OF_EVENTS.test(`${text} ${values.join()}`),
      );
      expect(withEvents.map(({ text }) => text)).toEqual(['select write_together($1)']);
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
