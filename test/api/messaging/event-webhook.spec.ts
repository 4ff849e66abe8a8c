import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app.setup.js';
import { ConfigError, loadConfig } from '../../../src/config/app-config.js';
import { MINUTE_MS } from '../../../src/common/durations.js';
import { EventReceiver, isSignedBy } from '../../harness/event-receiver.js';
import { eventually } from '../../harness/eventually.js';
import { MetricsPage } from '../../harness/metrics.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { skipTime } from '../../harness/skip-time.js';
import { EVENTS } from '../../fixtures/event-feed.js';
import type { TestAdmin } from '../../fixtures/given.js';

// The operator's own receiver of all events. Its requests are real HTTP requests on loopback.

const SECRET = `whsec_${Buffer.from('the secret of an operator, 32 by').toString('base64')}`;

describe('The event webhook', () => {
  const receiver = new EventReceiver();
  let platform: TestPlatform;
  let admin: TestAdmin;

  beforeAll(async () => {
    await receiver.start();
    platform = await startPlatform({
      settings: {
        DEPOSIT_POLL_SECONDS: '3600',
        EVENT_WEBHOOK_URL: receiver.url,
        EVENT_WEBHOOK_SECRET: SECRET,
      },
    });
    admin = await platform.given.admin();
  });
  afterAll(async () => {
    await platform?.stop();
    await receiver.stop();
  });
  beforeEach(() => {
    receiver.acceptAgain();
    receiver.received.length = 0;
  });

  /** The events of the feed. */
  const fed = async (): Promise<any[]> => (await platform.as(admin).get(`${EVENTS}?limit=1000`)).data.events;
  const received = (): any[] => receiver.received.map(({ body }) => JSON.parse(body));
  const aboutUser = (userId: string) => received().filter(({ userid }) => userid === userId);
  /** Resolves when the receiver has accepted an event about each user. */
  const arrived = (...userIds: string[]) =>
    eventually(async () => {
      for (const id of userIds) expect(aboutUser(id).length).toBeGreaterThan(0);
    });
  const cursor = async (): Promise<number> => {
    const [row] = await platform.dataSource.query(
      `select number::float8 as number from event_consumer where name = 'event-webhook'`,
    );
    return row.number;
  };
  const openAlerts = async () =>
    (await platform.as(admin).get('/api/admin/alerts?limit=100')).data.filter(
      ({ kind }: any) => kind === 'event-webhook-failing',
    );

  it('sends each event as a signed CloudEvent', async () => {
    const user = await platform.given.user();
    await arrived(user.id);
    const [event] = (await fed()).filter(({ userId }) => userId === user.id);
    const request = receiver.received.find(({ id }) => id === event.id);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'webhook-id': event.id,
    });
    expect(request && isSignedBy(SECRET, request)).toBe(true);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      specversion: '1.0',
      id: event.id,
      source: platform.env.PUBLIC_URL ?? 'http://localhost:3000',
      type: 'user.created',
      time: event.at,
      subject: `user/${user.id}`,
      datacontenttype: 'application/json',
      number: event.number,
      userid: user.id,
      data: event.data,
    });
  });

  it('sends all types in the order of the feed, one at a time', async () => {
    let open = 0;
    let mostOpen = 0;
    receiver.answer = (response) => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(202).end();
      }, 5);
    };
    const users = await Promise.all(
      Array.from({ length: 5 }, () => platform.given.user().withBalance('10.00')),
    );
    const last = await platform.given.user();
    await arrived(last.id);
    const ids = received().map(({ id }) => id);
    const expected = (await fed()).map(({ id }) => id).filter((id) => ids.includes(id));
    expect(ids).toEqual(expected);
    for (const { id } of users)
      expect(aboutUser(id).map(({ type }) => type)).toEqual(['user.created', 'deposit.completed']);
    expect(mostOpen).toBe(1);
  });

  it('repeats a refused event with growing delays, and sends no later event before it is accepted', async () => {
    const times: number[] = [];
    receiver.answer = (response) => {
      times.push(performance.now());
      response.writeHead(times.length < 3 ? 500 : 204).end();
    };
    const ann = await platform.given.user();
    await eventually(async () => expect(times.length).toBeGreaterThan(0));
    const bob = await platform.given.user();
    await arrived(ann.id, bob.id);
    expect(received().map(({ userid }) => userid)).toEqual([ann.id, ann.id, ann.id, bob.id]);
    expect(new Set(receiver.ids().slice(0, 3)).size).toBe(1);
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).toBeGreaterThan(990); // a second, less the inaccuracy of timers
    expect(third - second).toBeGreaterThan(1990);
  });

  it('follows no redirect', async () => {
    let isFirst = true;
    receiver.answer = (response) => {
      if (isFirst) response.writeHead(302, { location: receiver.url }).end();
      else response.writeHead(204).end();
      isFirst = false;
    };
    const user = await platform.given.user();
    await eventually(async () => expect(aboutUser(user.id)).toHaveLength(2));
  });

  it('raises an alert after five minutes of failures, and resolves it at the next success', async () => {
    let isDown = true;
    receiver.answer = (response) => response.writeHead(isDown ? 503 : 204).end();
    const user = await platform.given.user();
    await arrived(user.id);
    expect(await openAlerts()).toEqual([]);
    skipTime(5 * MINUTE_MS);
    await eventually(async () => expect(await openAlerts()).toHaveLength(1));
    const lag = (await MetricsPage.fetch(platform.baseUrl)).value('event_consumer_lag_seconds', {
      consumer: 'event-webhook',
    });
    expect(lag).toBeGreaterThan(0);
    isDown = false;
    await eventually(async () => expect(await openAlerts()).toEqual([]));
    // The alert itself is in the feed, too.
    await eventually(async () =>
      expect(received().map(({ type }) => type)).toEqual(
        expect.arrayContaining(['alert.raised', 'alert.resolved']),
      ),
    );
  });

  it('moves its cursor past events that the feed leaves out', async () => {
    const user = await platform.given.user().withBalance('10.00'); // also writes a notification
    await arrived(user.id);
    await platform.caughtUp();
    const [{ last }] = await platform.dataSource.query(
      'select max(number)::float8 as last from domain_event',
    );
    await eventually(async () => expect(await cursor()).toBeGreaterThanOrEqual(last));
    expect(received().filter(({ type }) => /^(notification|balance)\./.test(type))).toEqual([]);
  });

  it('is called once for each event while two processes run', async () => {
    const replica = await createApp(loadConfig(platform.env), platform.clock);
    await replica.init();
    const users = [await platform.given.user(), await platform.given.user(), await platform.given.user()];
    await arrived(...users.map(({ id }) => id));
    await replica.close();
    const ids = receiver.ids();
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('goes on after a restart with the event that was not accepted', async () => {
    const stopped = await startPlatform({ settings: { DEPOSIT_POLL_SECONDS: '3600' } });
    let restarted: NestExpressApplication | undefined;
    const own = new EventReceiver();
    await own.start();
    const env = { ...stopped.env, EVENT_WEBHOOK_URL: own.url, EVENT_WEBHOOK_SECRET: SECRET };
    try {
      const earlier = await stopped.given.user(); // before the webhook was configured
      await stopped.app.close(); // another process would keep the leadership
      own.answer = (response) => response.writeHead(500).end();
      const first = await createApp(loadConfig(env), stopped.clock);
      await first.listen(0, '127.0.0.1');
      const users = await createUsers(stopped, await first.getUrl());
      await eventually(async () => expect(own.received.length).toBeGreaterThan(0));
      await first.close(); // interrupts the wait for the next attempt
      const [refused] = own.ids();
      expect(new Set(own.ids())).toEqual(new Set([refused]));
      own.received.length = 0;
      own.acceptAgain();
      restarted = await createApp(loadConfig(env), stopped.clock);
      await restarted.listen(0, '127.0.0.1');
      await eventually(async () => expect(own.received).toHaveLength(2));
      expect(own.ids()[0]).toBe(refused);
      const subjects = own.received.map(({ body }) => JSON.parse(body).userid);
      expect(subjects).toEqual(users);
      expect(subjects).not.toContain(earlier.id);
    } finally {
      await restarted?.close();
      await own.stop();
      await stopped.stop();
    }
  });

  it.each([
    ['EVENT_WEBHOOK_URL', 'EVENT_WEBHOOK_SECRET'],
    ['EVENT_WEBHOOK_SECRET', 'EVENT_WEBHOOK_URL'],
  ])('needs %s with %s, or the start stops', (missing, present) => {
    const { [missing]: _removed, ...env } = platform.env;
    const load = () => loadConfig(env);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(`${missing} is not set, and ${present} is.`);
  });

  it('needs a secret of Standard Webhooks', () => {
    const load = () => loadConfig({ ...platform.env, EVENT_WEBHOOK_SECRET: 'hunter2' });
    expect(load).toThrow(
      'EVENT_WEBHOOK_SECRET: its value is not whsec_ and a secret of at least 24 bytes in base64',
    );
  });
});

/** Creates two users by signing them in at the address, and returns their ids. */
async function createUsers({ outside }: TestPlatform, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const jwt = await outside.providers.identity.token({ email: `${name}@example.org`, name });
    const reply = await fetch(`${url}/api/auth/idp/login`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}` },
    });
    const { data } = (await reply.json()) as { data: { user: { id: string } } };
    ids.push(data.user.id);
  }
  return ids;
}
