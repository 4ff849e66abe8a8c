import { HorizonSession } from '../../../src/events/horizon-session.repository.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

const CALLS = 150; // more than the commit horizons that a session stores

describe('Live events may be delivered', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let session: HorizonSession;
  let user: TestUser;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    user = await platform.given.user();
  });
  beforeEach(async () => {
    session = await HorizonSession.connect({
      url: platform.env.DATABASE_URL as string,
      isPooled: false,
      onLost: () => undefined,
    });
  });
  afterEach(async () => {
    await steps.endAll();
    await session.end();
  });
  afterAll(() => platform?.stop());

  const noWork = () => Promise.resolve();

  /** Writes an event and returns its number. */
  async function writeEvent(): Promise<number> {
    await steps.notify(user);
    const [{ last }] = await platform.dataSource.query('select max(number)::int as last from domain_event');
    return last as number;
  }

  /**
   * `reached` is the number once, when the event with it may be delivered; later calls return 0 until there is a further one. Retries,
   * since transactions in other databases of the server delay events, too.
   */
  async function expectReached(number: number): Promise<void> {
    await eventually(async () => {
      const { reached } = await session.getReachedEvents();
      expect(reached).toBe(number);
    });
  }

  it('after the end of the transaction for which they waited, whatever the number of attempts before', async () => {
    const before = await writeEvent();
    await expectReached(before);
    const longTransaction = await steps.openTransaction();
    const waitingEvent = await writeEvent();
    for (let call = 0; call < CALLS; call++)
      expect(await session.getReachedEvents()).toEqual({ reached: 0, isWaiting: true });
    await longTransaction.commitAfter(noWork);
    await expectReached(waitingEvent);
    expect(await session.getReachedEvents()).toEqual({ reached: 0, isWaiting: false });
  });

  it('if they were written before the oldest open transaction began', async () => {
    const firstTransaction = await steps.openTransaction();
    const beforeSecond = await writeEvent();
    await session.getReachedEvents(); // takes a commit horizon, which the first transaction delays
    const secondTransaction = await steps.openTransaction();
    const afterSecond = await writeEvent();
    await session.getReachedEvents(); // takes one that both transactions delay
    await firstTransaction.commitAfter(noWork);
    await expectReached(beforeSecond);
    expect(await session.getReachedEvents()).toEqual({ reached: 0, isWaiting: true });
    await secondTransaction.commitAfter(noWork);
    await expectReached(afterSecond);
  });

  it('up to the last one, if any number of them arrived one by one during a long transaction', async () => {
    const before = await writeEvent();
    const longTransaction = await steps.openTransaction();
    let last = before;
    for (let event = 0; event < CALLS; event++) {
      last = await writeEvent();
      await session.getReachedEvents(); // takes a commit horizon, until the session stores no more
    }
    await longTransaction.commitAfter(noWork);
    let delivered = before;
    await eventually(async () => {
      const { reached } = await session.getReachedEvents();
      delivered = Math.max(delivered, reached);
      expect(delivered).toBe(last);
    });
  });

  it('by a process that started during a long transaction, without those from before the connection', async () => {
    await writeEvent();
    const longTransaction = await steps.openTransaction();
    const earlier = await steps.notify(user);
    const replicaUrl = await startReplica(platform, {});
    const client = await steps.connect({ token: user.token }, replicaUrl);
    const later = await steps.notify(user);
    await longTransaction.commitAfter(noWork);
    await client.received(1);
    expect(client.texts.join()).toContain(later);
    expect(client.texts.join()).not.toContain(earlier);
  });
});
