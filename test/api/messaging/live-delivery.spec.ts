import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

describe('Live delivery at two instances', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  /** The address of the second instance. */
  let replica: string;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    replica = await startReplica(platform);
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform?.stop());

  /** Waits for several delivery attempts. On a slow machine fewer are made, and a test that expects no event passes, too. */
  const waitForDeliveryAttempts = () => new Promise((resolve) => setTimeout(resolve, 300));

  it('delays events until an older open transaction has ended, and gives both instances the same order', async () => {
    const user = await platform.given.user();
    const clients = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: user.token }, replica),
    ];
    const olderTransaction = await steps.openTransaction();
    const titles = await steps.notifyTimes(user, 3);
    const committed = await platform.dataSource.query(
      `select from domain_event where user_id = $1 and type = 'notification.created'`,
      [user.id],
    );
    expect(committed).toHaveLength(3);
    await waitForDeliveryAttempts();
    for (const client of clients) expect(client.events).toEqual([]);
    await olderTransaction.commitAfter(() => Promise.resolve());
    for (const client of clients) {
      await client.received(3);
      expect(steps.titlesOf(client)).toEqual(titles);
    }
  });

  it('delivers in the order in which transactions wrote, even if the later writer began first, once no older transaction is open', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token }, replica);
    const laterWriter = await steps.openTransaction();
    const thirdTransaction = await steps.openTransaction();
    const first = await steps.notify(user);
    const second = randomUUID();
    await laterWriter.commitAfter((tx) => steps.notifyIn(tx, user, second));
    await waitForDeliveryAttempts();
    expect(client.events).toEqual([]);
    await thirdTransaction.commitAfter(() => Promise.resolve());
    await client.received(2);
    expect(steps.titlesOf(client)).toEqual([first, second]);
  });

  it('drops the events of a transaction that is rolled back', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const rolledBack = platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      // In SQL, so that the event is written before the rollback.
      await tx.query(
        `insert into domain_event (id, type, at, user_id, data)
         values ($1, 'withdrawal.requested', now(), $2, '{"amount": {"$amount": "1"}}')`,
        [randomUUID(), user.id],
      );
      throw new Error('undone');
    });
    await expect(rolledBack).rejects.toThrow('undone');
    await steps.flush(user, client);
    expect(client.events).toHaveLength(1); // the event of `flush`
  });

  it('gives every connection of a user the concurrent events in the same order', async () => {
    const user = await platform.given.user().withBalance('5000.00');
    const clients = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: user.token }, replica),
    ];
    const withdrawals = Array.from({ length: 8 }, (_, n) =>
      platform.as(user, n % 2 === 0 ? platform.baseUrl : replica).post('/api/user/withdrawals', {
        amount: '10.00',
        currency: 'USDC',
        toAddress: `0x${'ab'.repeat(20)}`,
      }),
    );
    for (const { status } of await Promise.all(withdrawals)) expect(status).toBe(201);
    await platform.caughtUp(); // the notifications are written
    const last = await steps.notify(user);
    for (const client of clients)
      await eventually(async () => expect(client.events.at(-1)?.data.title).toBe(last));
    // The first message is `hello`, which is no event.
    expect(clients[0]?.texts.slice(1)).toEqual(clients[1]?.texts.slice(1));
    const reserved = clients[0]?.events
      .filter(({ type }) => type === 'balance.changed')
      .map(({ data }) => data.reserved);
    expect(reserved).toEqual(['10.00', '20.00', '30.00', '40.00', '50.00', '60.00', '70.00', '80.00']);
  });

  it('continues after its database sessions were terminated', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const terminated = await platform.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'stablecoin-platform events' and datname = current_database()`,
    );
    expect(terminated.length).toBeGreaterThanOrEqual(2); // of both instances
    const titles = await steps.notifyTimes(user, 2);
    await client.received(2);
    expect(steps.titlesOf(client)).toEqual(titles);
  });
});
