import { WebSocket } from 'ws';
import { Client } from '../../../client/client.js';
import { ConnectionsService } from '../../../src/modules/messaging/live/connections.service.js';
import { CLOSE, type CloseReason } from '../../../src/modules/messaging/live/live.types.js';
import { storedMessages } from '../../fixtures/live.js';
import { RecordedSubscription } from '../../fixtures/live-subscriptions.js';
import type { TestUser } from '../../fixtures/given.js';
import { eventually } from '../../harness/eventually.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';
import { TcpProxy } from '../../harness/tcp-proxy.js';

describe('Live delivery in the typed client', () => {
  let platform: TestPlatform;
  const subscriptions: RecordedSubscription[] = [];

  beforeAll(async () => {
    // A second connection of a user replaces the first.
    platform = await startPlatform({ settings: { LIVE_CONNECTIONS_PER_USER: '1' } });
  });
  afterEach(() => {
    for (const { subscription } of subscriptions.splice(0)) subscription.close();
  });
  afterAll(() => platform?.stop());

  const subscribe = (
    user: TestUser,
    options: ConstructorParameters<typeof RecordedSubscription>[1] = {},
    baseUrl = platform.baseUrl,
  ): RecordedSubscription => {
    const subscription = new RecordedSubscription({ baseUrl, token: user.token }, options);
    subscriptions.push(subscription);
    return subscription;
  };
  /** A live subscription that has received the three events of a first deposit. */
  const subscribeAndReceive = async (
    user: TestUser,
    baseUrl = platform.baseUrl,
  ): Promise<RecordedSubscription> => {
    const live = await subscribe(user, {}, baseUrl).live();
    await platform.given.deposit(user.id, '1.00');
    await eventually(async () => expect(live.ids()).toHaveLength(3));
    return live;
  };
  /** Waits until the subscription has received the user's last `count` events, and no other; a deposit has three. */
  const receivedLast = (count: number, user: TestUser, live: RecordedSubscription): Promise<void> =>
    eventually(async () => {
      const rows = await storedMessages(platform.dataSource, user.id);
      expect(live.ids()).toHaveLength(count);
      expect(live.ids()).toEqual(rows.slice(-count).map(({ id }) => id));
    });
  const closeAll = ({ id }: TestUser, reason: CloseReason) => {
    for (const connection of platform.app.get(ConnectionsService).connectionsOf('user', id))
      connection.close(reason);
  };

  it('receives typed events, and reports the gap before its first connection', async () => {
    const user = await platform.given.user();
    const live = await subscribe(user).live();
    expect(live.gaps).toEqual([0]); // after 0 events

    await platform.given.deposit(user.id, '25.00');

    await eventually(async () => expect(live.ids()).toHaveLength(3));
    const amounts = live.events.map((event) => {
      if (event.type === 'deposit.completed') return event.data.credited;
      if (event.type === 'balance.changed') return event.data.available;
      return event.type;
    });
    expect(amounts).toEqual(['25.00', '25.00', 'notification.created']);
    expect(live.subscription.lastEventId).toBe(live.events.at(-1)?.id);
    expect(live.states.map(({ status }) => status)).toEqual(['connecting', 'live']);
  });

  it('receives the events since the last one of an earlier subscription, and reports no gap', async () => {
    const user = await platform.given.user();
    const before = await subscribeAndReceive(user);
    before.subscription.close();
    await platform.given.deposit(user.id, '2.00');

    const live = await subscribe(user, { after: before.subscription.lastEventId as string }).live();

    await receivedLast(3, user, live);
    expect(live.gaps).toEqual([]);
  });

  it('reports a gap if the service does not know the last event', async () => {
    const user = await platform.given.user();
    const live = await subscribe(user, { after: 'an id from somewhere else' }).live();
    expect(live.gaps).toEqual([0]);
    await platform.given.deposit(user.id, '1.00');
    await receivedLast(3, user, live);
  });

  it('reports a gap when the connection is interrupted before the first event has arrived', async () => {
    const user = await platform.given.user();
    const live = await subscribe(user).live();
    closeAll(user, CLOSE.tooSlow);
    await live.live(2);
    expect(live.gaps).toEqual([0, 0]);
  });

  it('continues at another process when its process stops, without missing or repeating an event', async () => {
    const user = await platform.given.user();
    const stopping = await startReplicaWithoutPort(platform);
    await stopping.listen(0, '127.0.0.1');
    const proxy = await TcpProxy.startFor(await stopping.getUrl());
    platform.beforeStop(() => proxy.close());
    const live = await subscribeAndReceive(user, proxy.url);

    proxy.redirectTo(platform.baseUrl);
    await stopping.get(ConnectionsService).closeAll(CLOSE.restart);
    await platform.given.deposit(user.id, '2.00');
    await live.live(2);
    await platform.given.deposit(user.id, '3.00');

    await receivedLast(8, user, live); // 3 + 3 + 2: the notification of the second deposit reports the third one, too
    expect(live.gaps).toEqual([0]);
    expect(live.states).toContainEqual({ status: 'waiting', code: 1012, retryInMs: expect.any(Number) });
  });

  it('repeats its attempts to connect until the server is reachable again', async () => {
    const user = await platform.given.user();
    const proxy = await TcpProxy.startFor(platform.baseUrl);
    platform.beforeStop(() => proxy.close());
    const live = await subscribeAndReceive(user, proxy.url);

    await proxy.close();
    await eventually(async () => expect(live.states).toContainEqual(expect.objectContaining({ code: 1006 })));
    await platform.given.deposit(user.id, '2.00');
    await eventually(async () =>
      expect(live.states).toContainEqual(
        expect.objectContaining({ status: 'waiting', error: expect.any(TypeError) }), // fetch reached no server
      ),
    );
    await proxy.open();

    await receivedLast(6, user, live);
    expect(live.gaps).toEqual([0]);
  });

  it('connects again after its last event when the service has closed the connection as too slow', async () => {
    const user = await platform.given.user();
    const live = await subscribeAndReceive(user);
    closeAll(user, CLOSE.tooSlow);
    await platform.given.deposit(user.id, '2.00');
    await receivedLast(6, user, live);
    expect(live.states).toContainEqual(expect.objectContaining({ status: 'waiting', code: 1013 }));
  });

  it('replaces its connection on request without missing an event', async () => {
    const user = await platform.given.user();
    const live = await subscribeAndReceive(user);
    live.subscription.reconnect();
    await platform.given.deposit(user.id, '2.00');
    await receivedLast(6, user, live);
    expect(live.states.map(({ status }) => status)).toEqual(['connecting', 'live', 'connecting', 'live']);
  });

  describe('ends', () => {
    it('when the session ends, without a further attempt', async () => {
      const user = await platform.given.user();
      const live = await subscribe(user).live();
      await platform.as(user).post('/api/auth/logout');
      expect(await live.ended()).toEqual({ status: 'ended', reason: 'session-ended', code: 4401 });
      expect(live.states.map(({ status }) => status)).toEqual(['connecting', 'live', 'ended']);
    });

    it('when the token is not valid', async () => {
      const live = subscribe({ ...(await platform.given.user()), token: 'nonsense' });
      expect(await live.ended()).toMatchObject({ reason: 'session-ended', error: { code: 'TOKEN_INVALID' } });
    });

    it('when a newer connection replaces it', async () => {
      const user = await platform.given.user();
      const older = await subscribe(user).live();
      await subscribe(user).live();
      expect(await older.ended()).toEqual({ status: 'ended', reason: 'replaced', code: 4429 });
    });

    it('when its request for a ticket is refused', async () => {
      const { token } = await platform.given.user();
      const states: unknown[] = [];
      new Client({ baseUrl: platform.baseUrl, token }).live({
        as: 'admin',
        webSocket: WebSocket,
        onEvent: () => undefined,
        onState: (state) => states.push(state),
      });
      await eventually(async () =>
        expect(states.at(-1)).toMatchObject({ reason: 'refused', error: { code: 'ADMIN_REQUIRED' } }),
      );
    });

    it('when the application closes it or aborts its signal', async () => {
      const user = await platform.given.user();
      const live = await subscribe(user).live();
      live.subscription.close();
      expect(live.last).toEqual({ status: 'ended', reason: 'closed' });
      const controller = new AbortController();
      const aborted = subscribe(user, { signal: controller.signal });
      controller.abort();
      expect(aborted.last).toEqual({ status: 'ended', reason: 'closed' });
      const countConnections = () =>
        [...platform.app.get(ConnectionsService).connectionsOf('user', user.id)].length;
      await eventually(async () => expect(countConnections()).toBe(0));
    });

    it('when a callback throws, and leaves the event to the next subscription', async () => {
      const user = await platform.given.user();
      const failure = new Error('no disk');
      const live = await subscribe(user, {
        onEvent: ({ type }) => {
          if (type === 'balance.changed') throw failure;
        },
      }).live();
      await platform.given.deposit(user.id, '1.00');
      expect(await live.ended()).toEqual({ status: 'ended', reason: 'failed', error: failure });

      const next = await subscribe(user, { after: live.subscription.lastEventId as string }).live();
      const expected = ['balance.changed', 'notification.created'];
      await eventually(async () => expect(next.events.map(({ type }) => type)).toEqual(expected));
    });
  });

  it('delivers the events of an admin', async () => {
    const [user, admin] = [await platform.given.user().withBalance('500.00'), await platform.given.admin()];
    const received: string[] = [];
    const states: string[] = [];
    const subscription = new Client({ baseUrl: platform.baseUrl, token: admin.token }).live({
      as: 'admin',
      webSocket: WebSocket,
      onEvent: (event) =>
        received.push(event.type === 'withdrawal.requested' ? event.data.userId : event.type),
      onState: ({ status }) => states.push(status),
    });
    await eventually(async () => expect(states).toEqual(['connecting', 'live']));
    const body = {
      amount: '100.00',
      currency: 'USDC',
      toAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    };
    await platform.as(user).post('/api/user/withdrawals', body);
    await eventually(async () => expect(received).toEqual([user.id]));
    subscription.close();
  });

  it('sends its token in a header only, never in the address of the WebSocket [SEC-171]', async () => {
    const user = await platform.given.user();
    const addresses: URL[] = [];
    class RecordingWebSocket extends WebSocket {
      constructor(address: string) {
        super(address);
        addresses.push(new URL(address));
      }
    }
    const live = subscribe(user, { webSocket: RecordingWebSocket });
    await live.live();
    await platform.given.deposit(user.id, '1.00');
    await eventually(async () => expect(live.ids()).toHaveLength(3));
    const { lastEventId } = live.subscription;
    live.subscription.reconnect();
    await live.live(2);

    expect(addresses.map(({ searchParams }) => [...searchParams.keys()])).toEqual([
      ['ticket'],
      ['ticket', 'after'],
    ]);
    expect(addresses[1]?.searchParams.get('after')).toBe(lastEventId);
    for (const { href } of addresses) expect(href).not.toContain(user.token);
    expect(new Set(addresses.map(({ searchParams }) => searchParams.get('ticket'))).size).toBe(2);
  });

  it('uses the WebSocket of the runtime, and throws an error if neither the runtime nor the caller has one', async () => {
    const { token } = await platform.given.user();
    const api = new Client({ baseUrl: platform.baseUrl, token });
    const runtime = globalThis as { WebSocket?: unknown };
    const native = runtime.WebSocket;
    const states: string[] = [];
    try {
      runtime.WebSocket = undefined;
      expect(() => api.live({ onEvent: () => undefined })).toThrow('pass `webSocket`');
      runtime.WebSocket = WebSocket;
      const options = {
        onEvent: () => undefined,
        onState: ({ status }: { status: string }) => states.push(status),
      };
      const subscription = api.live(options);
      await eventually(async () => expect(states).toEqual(['connecting', 'live']));
      subscription.close();
    } finally {
      if (native === undefined) delete runtime.WebSocket;
      else runtime.WebSocket = native;
    }
  });
});
