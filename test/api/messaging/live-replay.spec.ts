import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { ConnectionsService } from '../../../src/modules/messaging/live/connections.service.js';
import { EventLogRepository } from '../../../src/events/event-log.repository.js';
import { LiveRepository } from '../../../src/modules/messaging/live/live.repository.js';
import { liveSteps, type LiveSteps } from '../../fixtures/live.js';
import { eventually } from '../../harness/eventually.js';
import { Hold } from '../../harness/hold.js';
import type { LiveClient } from '../../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplica } from '../../harness/replica.js';

describe('Live delivery with replays', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  /** The address of a second instance on the same database. */
  let replica: string;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    replica = await startReplica(platform);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await steps.endAll();
  });
  afterAll(() => platform?.stop());

  it('sends the events after the given id and then new ones, with the same texts as the first connection, on both instances', async () => {
    const user = await platform.given.user().withBalance('500.00');
    const live = await steps.connect({ token: user.token });
    await steps.withdraw(user);
    await steps.notifyTimes(user, 2);
    await steps.flush(user, live);
    const after = live.events[1]?.id as string;
    const replays = [
      await steps.connect({ token: user.token, after }),
      await steps.connect({ token: user.token, after }, replica),
    ];
    await steps.notifyTimes(user, 1);
    await steps.flush(user, live);
    for (const replay of replays) {
      // Replayed are the third event of the withdrawal, 2 notifications and 1 of `flush`.
      await replay.received(6); // 4 replayed, 1 notification and 1 of `flush`
      expect(replay.hello?.data).toEqual({ replayed: 4, complete: true });
      // Both without `hello`, `live` also without its first two events.
      expect(replay.texts.slice(1)).toEqual(live.texts.slice(3));
    }
  });

  it('counts an event as replayed that was committed before the connection and is delivered later', async () => {
    const user = await platform.given.user();
    const live = await steps.connect({ token: user.token });
    await steps.flush(user, live);
    const after = live.events[0]?.id as string;
    const olderTransaction = await steps.openTransaction(); // events are delivered after its end
    const title = await steps.notify(user);
    const client = await steps.connect({ token: user.token, after });
    expect(client.hello?.data).toEqual({ replayed: 1, complete: true });
    expect(client.events).toEqual([]);
    await olderTransaction.commitAfter(() => Promise.resolve());
    await client.received(1);
    await steps.flush(user, client);
    expect(steps.titlesOf(client).slice(0, -1)).toEqual([title]);
  });

  it('replays nothing without an id', async () => {
    const user = await platform.given.user();
    await steps.notify(user);
    const withoutId = await steps.connect({ token: user.token });
    await steps.flush(user, withoutId);
    expect(withoutId.hello?.data).toEqual({ replayed: 0, complete: true });
    expect(withoutId.events).toHaveLength(1); // the event of `flush`, not the notification from before
  });

  it('leaves out no event that is written between the upgrade and the first frame', async () => {
    const user = await platform.given.user();
    let client: LiveClient | undefined;
    let title = '';
    await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      await platform.as(user).get('/api/auth/check'); // so that the upgrade reads the session from the cache
      // The gateway reads the session again before it sends the first frame, which the lock delays.
      await tx.query('lock table session in access exclusive mode');
      client = await steps.open({ token: user.token });
      title = await steps.notify(user);
      expect(client.hello).toBeUndefined();
    });
    await client?.received(1);
    await steps.flush(user, client as LiveClient);
    expect(steps.titlesOf(client as LiveClient).slice(0, -1)).toEqual([title]);
  });

  describe('at an instance that had no connections', () => {
    /** Waits until every event is older than each open transaction, so that it can be delivered. */
    const waitUntilDeliverable = () =>
      eventually(async () => {
        const rows = await platform.dataSource.query(
          'select from domain_event where xmin::text::bigint >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
        );
        expect(rows).toHaveLength(0);
      });

    it('replays the events from that time, which the instance did not read before', async () => {
      const user = await platform.given.user();
      const first = await steps.connect({ token: user.token });
      await steps.flush(user, first);
      await steps.endAll();
      const [connections, events] = [platform.app.get(ConnectionsService), platform.app.get(LiveRepository)];
      await eventually(async () => expect(connections.isInUse).toBe(false));
      const getState = jest.spyOn(events, 'getState');
      const findPage = jest.spyOn(platform.app.get(EventLogRepository), 'findPage');
      const began = performance.now();
      const titles: string[] = [];
      for (let count = 0; count < 20; count++) {
        titles.push(...(await steps.notifyTimes(user, 1)));
        await waitUntilDeliverable();
      }
      // One poll a second, not one per event; on a busy machine some come late, one after the other.
      const maxPolls = 5 + (performance.now() - began) / 1000;
      expect(getState.mock.calls.length).toBeLessThanOrEqual(maxPolls);
      expect(findPage).not.toHaveBeenCalled();
      const replayed = await steps.connect({ token: user.token, after: first.events[0]?.id as string });
      const live = await steps.connect({ token: user.token });
      await steps.flush(user, live);
      await replayed.received(21);
      expect(steps.titlesOf(replayed).slice(0, 20)).toEqual(titles);
      expect(live.events).toHaveLength(1);
    });

    it('loses no event that is committed while the first connections open', async () => {
      const user = await platform.given.user();
      const connections = platform.app.get(ConnectionsService);
      await eventually(async () => expect(connections.isInUse).toBe(false));
      const events = platform.app.get(LiveRepository);
      const getState = events.getState.bind(events);
      const hold = new Hold();
      let polls = 0;
      jest.spyOn(events, 'getState').mockImplementation(async (reached) => {
        const state = await getState(reached); // the state before the event below
        polls += 1;
        // Holds the second poll: during the first one a notification of an earlier event may arrive, and then `connect` would
        // wait for the end of the poll.
        if (polls > 1) await hold.wait();
        return state;
      });
      await eventually(async () => expect(polls).toBe(2));
      try {
        const clients = [
          await steps.connect({ token: user.token }),
          await steps.connect({ token: user.token }),
        ];
        const title = await steps.notify(user);
        await waitUntilDeliverable();
        hold.release();
        for (const client of clients) {
          await client.received(1);
          await steps.flush(user, client);
          expect(client.events[0]?.data.title).toBe(title);
        }
      } finally {
        hold.release();
      }
    });
  });

  /** Sets the real time at which an event was written to a day ago, which the database otherwise refuses. */
  async function makeDayOld(id: string): Promise<void> {
    const { dataSource } = platform;
    await dataSource.query('alter table domain_event disable trigger domain_event_kept');
    await dataSource.query(
      `update domain_event set written_at = clock_timestamp() - interval '24 hours' where id = $1`,
      [id],
    );
    await dataSource.query('alter table domain_event enable trigger domain_event_kept');
  }

  it('reports an incomplete replay for an id that is malformed, unknown, of another user or too old', async () => {
    const [user, other] = [await platform.given.user(), await platform.given.user()];
    const [ofUser, ofOther] = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: other.token }),
    ];
    await steps.flush(user, ofUser);
    await steps.flush(other, ofOther);
    const old = ofUser.events[0]?.id as string;
    await steps.flush(user, ofUser);
    await makeDayOld(old);
    for (const after of ['nonsense', randomUUID(), ofOther.events[0]?.id as string, old]) {
      const client = await steps.connect({ token: user.token, after });
      expect([after, client.hello?.data]).toEqual([after, { replayed: 0, complete: false }]);
      await steps.flush(user, client);
      expect(client.events).toHaveLength(1);
    }
  });

  it('sends a replay of many pages while new events arrive, each once and in order', async () => {
    const user = await platform.given.user();
    const first = await steps.connect({ token: user.token });
    await steps.flush(user, first);
    const after = first.events[0]?.id as string;
    await first.end();
    const missed = await steps.notifyTimes(user, 130); // a page has 50
    const client = await steps.connect({ token: user.token, after }, replica);
    const added = await steps.notifyTimes(user, 20);
    await client.received(150);
    await steps.flush(user, client);
    expect(client.hello?.data).toEqual({ replayed: 130, complete: true });
    expect(steps.titlesOf(client).slice(0, 150)).toEqual([...missed, ...added]);
    expect(client.events).toHaveLength(151); // 130 + 20 + 1 of `flush`
  });
});
