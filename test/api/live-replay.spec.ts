import { randomUUID } from 'node:crypto';
import type { AppConfig } from '../../src/config/app-config.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { ConnectionsService } from '../../src/modules/live/connections.service.js';
import { LiveEventsRepository } from '../../src/modules/live/live-events.repository.js';
import { liveSteps, type LiveSteps } from '../fixtures/live.js';
import type { TestUser } from '../fixtures/given.js';
import { eventually } from '../harness/eventually.js';
import type { LiveClient } from '../harness/live-client.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { startReplica } from '../harness/replica.js';

describe('Live delivery with replays', () => {
  let platform: TestPlatform;
  let steps: LiveSteps;
  let replica: string;

  beforeAll(async () => {
    platform = await startPlatform();
    steps = liveSteps(platform);
    replica = await startReplica(platform, {} as Partial<AppConfig>);
  });
  afterEach(() => steps.endAll());
  afterAll(() => platform.stop());

  const titlesOf = (client: LiveClient) => client.events.map(({ data }) => data.title as string);
  /** Writes notifications one after the other and returns their titles. */
  async function notifyTimes(user: TestUser, count: number): Promise<string[]> {
    const titles: string[] = [];
    for (let n = 0; n < count; n++) titles.push(await steps.notify(user));
    return titles;
  }

  it('sends the events since the last one and then new events, on either process and byte for byte', async () => {
    const user = await platform.given.user().withBalance('500.00');
    const live = await steps.connect({ token: user.token });
    await steps.withdraw(user);
    await notifyTimes(user, 2);
    await steps.flush(user, live);
    const after = live.events[1]?.id as string;
    const replays = [
      await steps.connect({ token: user.token, after }),
      await steps.connect({ token: user.token, after }, replica),
    ];
    await notifyTimes(user, 1);
    await steps.flush(user, live);
    for (const replay of replays) {
      await replay.received(6);
      expect(replay.hello?.data).toEqual({ replayed: 4, complete: true });
      expect(replay.texts.slice(1)).toEqual(live.texts.slice(3));
    }
  });

  it('replays an event that was committed before the connection, even if it was not delivered yet, and nothing without an id', async () => {
    const user = await platform.given.user();
    const live = await steps.connect({ token: user.token });
    await steps.flush(user, live);
    const after = live.events[0]?.id as string;
    await steps.notify(user);
    const counted = await steps.connect({ token: user.token, after });
    expect(counted.hello?.data).toEqual({ replayed: 1, complete: true });
    await counted.received(1);
    await steps.notify(user);
    const withoutId = await steps.connect({ token: user.token });
    await steps.flush(user, withoutId);
    expect(withoutId.hello?.data).toEqual({ replayed: 0, complete: true });
    expect(withoutId.events).toHaveLength(1); // the event of `flush`, not the notification from before
  });

  it('leaves out no event that a client causes before its first frame', async () => {
    const user = await platform.given.user();
    let client: LiveClient | undefined;
    let title = '';
    await platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      await platform.as(user).get('/api/auth/check'); // caches the session
      await tx.query('lock table session in access exclusive mode'); // delays the check of the open connection
      client = await steps.open({ token: user.token });
      title = await steps.notify(user);
    });
    await client?.received(1);
    expect(titlesOf(client as LiveClient)).toEqual([title]);
  });

  describe('by a process that had no connections', () => {
    /** Waits until no event waits for the end of a transaction. */
    const noEventWaits = () =>
      eventually(async () => {
        const rows = await platform.dataSource.query(
          'select from live_event where xmin::text::bigint >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
        );
        expect(rows).toHaveLength(0);
      });

    it('contains the earlier events, none of which the process reads before the connection', async () => {
      const user = await platform.given.user();
      const first = await steps.connect({ token: user.token });
      await steps.flush(user, first);
      await steps.endAll();
      const [connections, events] = [
        platform.app.get(ConnectionsService),
        platform.app.get(LiveEventsRepository),
      ];
      await eventually(async () => expect(connections.isInUse).toBe(false));
      const [findState, findPage] = [jest.spyOn(events, 'findState'), jest.spyOn(events, 'findPage')];
      const began = performance.now();
      const titles: string[] = [];
      for (let count = 0; count < 20; count++) {
        titles.push(...(await notifyTimes(user, 1)));
        await noEventWaits();
      }
      // One poll a second, one at the start and one that was late; a slow machine raises the bound with the count.
      const polls = 2 + (performance.now() - began) / 1000;
      expect(findState.mock.calls.length).toBeLessThanOrEqual(polls);
      expect(findPage).not.toHaveBeenCalled();
      const replayed = await steps.connect({ token: user.token, after: first.events[0]?.id as string });
      const live = await steps.connect({ token: user.token });
      await steps.flush(user, live);
      await replayed.received(21);
      expect(titlesOf(replayed).slice(0, 20)).toEqual(titles);
      expect(live.events).toHaveLength(1);
      jest.restoreAllMocks();
    });

    it('leaves out no event that is committed while the first connections open', async () => {
      const user = await platform.given.user();
      const connections = platform.app.get(ConnectionsService);
      await eventually(async () => expect(connections.isInUse).toBe(false));
      await notifyTimes(user, 1);
      await noEventWaits();
      const events = platform.app.get(LiveEventsRepository);
      const findState = events.findState.bind(events);
      let release!: () => void;
      const released = new Promise<void>((resolve) => (release = resolve));
      const spy = jest.spyOn(events, 'findState').mockImplementation(async (reached) => {
        const state = await findState(reached); // from before the next event
        await released;
        return state;
      });
      const waiting = steps.connect({ token: user.token });
      await eventually(async () => expect(spy).toHaveBeenCalled());
      const live = await steps.connect({ token: user.token });
      const title = await steps.notify(user);
      await noEventWaits();
      release();
      await live.received(1);
      expect(titlesOf(live)).toEqual([title]);
      await steps.flush(user, await waiting);
      jest.restoreAllMocks();
    });
  });

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
    await platform.dataSource.query(
      `update live_event set created_at = clock_timestamp() - interval '24 hours' where id = $1`,
      [old],
    );
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
    const missed = await notifyTimes(user, 130);
    const client = await steps.connect({ token: user.token, after }, replica);
    const added = await notifyTimes(user, 20);
    await client.received(150);
    await steps.flush(user, client);
    expect(client.hello?.data).toEqual({ replayed: 130, complete: true });
    expect(titlesOf(client).slice(0, 150)).toEqual([...missed, ...added]);
    expect(client.events).toHaveLength(151); // 130 + 20 + 1 of `flush`
  });

  it('delays events behind a long transaction and gives all processes the same order', async () => {
    const user = await platform.given.user();
    const clients = [
      await steps.connect({ token: user.token }),
      await steps.connect({ token: user.token }, replica),
    ];
    const long = await steps.openTransaction();
    const titles = await notifyTimes(user, 3);
    const committed = await platform.dataSource.query('select from live_event where recipient_id = $1', [
      user.id,
    ]);
    expect(committed).toHaveLength(3);
    for (const client of clients) expect(client.events).toEqual([]);
    await long.commitAfter(() => Promise.resolve());
    for (const client of clients) {
      await client.received(3);
      expect(titlesOf(client)).toEqual(titles);
    }
  });

  it('has the order in which transactions wrote, also if the later writer began first and a third one still writes', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token }, replica);
    const laterWriter = await steps.openTransaction();
    const thirdTransaction = await steps.openTransaction();
    const first = await steps.notify(user);
    const second = randomUUID();
    await laterWriter.commitAfter((tx) => steps.notifyIn(tx, user, second));
    // Time for several attempts to deliver: on a slow machine fewer are made, and the test still passes.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(client.events).toEqual([]);
    await thirdTransaction.commitAfter(() => Promise.resolve());
    await client.received(2);
    expect(titlesOf(client)).toEqual([first, second]);
  });

  it('drops the events of a transaction that is rolled back', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const rolledBack = platform.app.get(UnitOfWork).runInNewTransaction(async (tx) => {
      await steps.notifyIn(tx, user, 'undone');
      await tx.query('select'); // sends the collected event
      throw new Error('undone');
    });
    await expect(rolledBack).rejects.toThrow('undone');
    await steps.flush(user, client);
    expect(client.events).toHaveLength(1); // the event of `flush`
  });

  it('gives one order of the concurrent events of a user to every connection', async () => {
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
    for (const client of clients) await client.received(24); // three events of each withdrawal
    expect(clients[0]?.texts.slice(1)).toEqual(clients[1]?.texts.slice(1));
    const reserved = clients[0]?.events
      .filter(({ type }) => type === 'balance.changed')
      .map(({ data }) => data.reserved);
    expect(reserved).toEqual(['10.00', '20.00', '30.00', '40.00', '50.00', '60.00', '70.00', '80.00']);
  });

  it('continues after the sessions that find the events to deliver have ended', async () => {
    const user = await platform.given.user();
    const client = await steps.connect({ token: user.token });
    const terminated = await platform.dataSource.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'stablecoin-platform live' and datname = current_database()`,
    );
    expect(terminated.length).toBeGreaterThanOrEqual(2); // of this process and its replica
    const titles = await notifyTimes(user, 2);
    await client.received(2);
    expect(titlesOf(client)).toEqual(titles);
  });

  it('keeps events for 25 hours of real time', async () => {
    const user = await platform.given.user();
    const [kept, old] = [await steps.notify(user), await steps.notify(user)];
    await platform.dataSource.query(
      `update live_event set created_at = clock_timestamp() - interval '25 hours' where data like $1`,
      [`%${old}%`],
    );
    platform.clock.advance(48 * 3_600_000);
    await platform.runJob('old-live-events');
    const rows = await platform.dataSource.query('select data from live_event where recipient_id = $1', [
      user.id,
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0].data).toContain(kept);
  });
});
