import { pipeline } from 'node:stream/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/common/durations.js';
import { Jobs } from '../../../src/jobs/jobs.service.js';
import { DnsClient } from '../../../src/modules/messaging/webhooks/receivers.service.js';
import { isSignedBy, type EventReceiver } from '../../harness/event-receiver.js';
import { eventually } from '../../harness/eventually.js';
import { startReplicaWithoutPort } from '../../harness/replica.js';
import { WebhookScenario, WEBHOOKS, type Subscriber } from '../../fixtures/webhook-scenario.js';

// Delivery of events to users' webhooks: retries, isolation of slow receivers, and protection against redirects and
// internal addresses.

const WAITS_IN_HOURS = [2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS);
const WAITS_MS = [5000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...WAITS_IN_HOURS];
const MAX_JITTER_FACTOR = 1.1;
const MEGABYTE = 2 ** 20;

describe('A webhook delivery', () => {
  let scenario: WebhookScenario;

  beforeAll(async () => {
    scenario = await WebhookScenario.start();
  });
  afterAll(() => scenario?.stop());
  afterEach(() => jest.restoreAllMocks());

  const answerWith = (receiver: EventReceiver, status = 500) => {
    receiver.answer = (response) => response.writeHead(status).end('no');
  };
  const urlWithName = (receiver: EventReceiver) => receiver.url.replace('127.0.0.1', 'hooks.example.org');
  /** From here on calls time out when the test calls `expireAll`; `timeoutsMs` holds the configured time-outs. */
  const manualTimeouts = () => {
    const timeoutsMs: number[] = [];
    const controllers: AbortController[] = [];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      timeoutsMs.push(ms);
      const controller = new AbortController();
      controllers.push(controller);
      return controller.signal;
    });
    return { timeoutsMs, expireAll: () => controllers.splice(0).forEach((controller) => controller.abort()) };
  };
  /** The only delivery of the subscriber's webhook. */
  const only = async (subscriber: Subscriber) => {
    const deliveries = await scenario.deliveries(subscriber);
    expect(deliveries).toHaveLength(1);
    return deliveries[0];
  };
  const notes = async ({ user }: Subscriber) =>
    (await scenario.platform.as(user).get('/api/user/notifications?type=system')).data;
  /** Advances the clock by the longest wait that can follow after this number of attempts. */
  const expireWait = (attempts: number) =>
    scenario.platform.clock.advance((WAITS_MS[attempts - 1] as number) * MAX_JITTER_FACTOR);

  it('is retried with increasing delays and the same id until the receiver accepts it', async () => {
    const ann = await scenario.subscribe();
    await ann.receiver.stop();
    await scenario.test(ann);
    await scenario.deliverDue();
    const now = scenario.platform.clock.now().getTime();
    const first = await only(ann);
    expect(first).toMatchObject({
      status: 'pending',
      attempts: 1,
      responseStatus: null,
      failure: 'connection',
    });
    const delayMs = new Date(first.nextAttemptAt).getTime() - now;
    expect(delayMs).toBeGreaterThanOrEqual(5000);
    expect(delayMs).toBeLessThanOrEqual(5500); // with 10 % jitter
    expect((await scenario.webhook(ann)).failingSince).toBe(new Date(now).toISOString());

    await ann.receiver.start();
    answerWith(ann.receiver);
    await scenario.deliverDue();
    expect(ann.receiver.received).toEqual([]); // not due yet
    expireWait(1);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ attempts: 2, responseStatus: 500, failure: 'status' });
    ann.receiver.acceptAgain();
    expireWait(2);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({
      status: 'delivered',
      attempts: 3,
      responseStatus: 204,
      failure: null,
      nextAttemptAt: null,
    });
    expect((await scenario.webhook(ann)).failingSince).toBeNull();
    expect(ann.receiver.ids()).toEqual([first.id, first.id]);
    expect(new Set(ann.receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const event of ann.receiver.received) expect(isSignedBy(ann.secret, event)).toBe(true);
  });

  it('is dead after ten failures and disables its webhook, and can be redelivered after activation', async () => {
    const ann = await scenario.subscribe();
    answerWith(ann.receiver, 503);
    await scenario.test(ann);
    await scenario.deliverDue();
    for (let attempts = 1; attempts < 10; attempts++) {
      expect(await only(ann)).toMatchObject({ status: 'pending', attempts });
      expect((await scenario.webhook(ann)).status).toBe('active');
      expireWait(attempts);
      await scenario.deliverDue();
    }
    const dead = await only(ann);
    expect(dead).toMatchObject({ status: 'dead', attempts: 10, responseStatus: 503, nextAttemptAt: null });
    expect(await scenario.webhook(ann)).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    expect(await notes(ann)).toEqual([
      expect.objectContaining({
        title: 'Webhook disabled',
        metadata: { webhookId: ann.id, reason: 'failing' },
      }),
    ]);

    const redeliver = () =>
      scenario.platform.as(ann.user).post(`${WEBHOOKS}/${ann.id}/deliveries/${dead.id}/redeliver`);
    expect((await redeliver()).code).toBe('INVALID_STATE');
    ann.receiver.acceptAgain();
    const { data } = await scenario.platform.as(ann.user).put(`${WEBHOOKS}/${ann.id}`, { status: 'active' });
    expect(data).toMatchObject({ status: 'active', disabledReason: null, failingSince: null });
    expect((await redeliver()).data).toMatchObject({ id: dead.id, status: 'pending', attempts: 0 });
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(new Set(ann.receiver.ids())).toEqual(new Set([dead.id]));
  });

  it('that is answered 410 disables the webhook at once and leaves its other deliveries pending', async () => {
    const ann = await scenario.subscribe();
    answerWith(ann.receiver, 500);
    await scenario.test(ann);
    await scenario.deliverDue();
    scenario.platform.clock.advance(1000);
    answerWith(ann.receiver, 410);
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await scenario.deliveries(ann)).toMatchObject([
      { status: 'dead', attempts: 1, responseStatus: 410 },
      { status: 'pending', attempts: 1, responseStatus: 500 },
    ]);
    expect(await scenario.webhook(ann)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    expect((await notes(ann))[0]).toMatchObject({ metadata: { reason: 'gone' } });
    expect((await scenario.test(ann)).code).toBe('INVALID_STATE');
  });

  it('to a server that does not answer is aborted after ten seconds and does not delay other webhooks', async () => {
    const slow = await scenario.subscribe();
    const quick = await scenario.subscribe();
    slow.receiver.answer = () => undefined;
    const { timeoutsMs, expireAll } = manualTimeouts();
    for (let i = 0; i < 5; i++) await scenario.test(slow);
    const drained = scenario.deliverDue();
    await eventually(async () => expect(slow.receiver.received).toHaveLength(2));
    for (let i = 0; i < 5; i++) await scenario.test(quick);
    await eventually(async () => expect(quick.receiver.received).toHaveLength(5));
    expect(slow.receiver.received).toHaveLength(2); // at most two concurrent calls per webhook
    expect(new Set(timeoutsMs)).toEqual(new Set([10_000]));
    slow.receiver.acceptAgain(); // applies to new calls; two calls are still open
    expireAll();
    await drained;
    const outcomes = (await scenario.deliveries(slow)).map(({ status, failure }: any) => [status, failure]);
    expect(outcomes.sort()).toEqual([
      ...Array(3).fill(['delivered', null]),
      ...Array(2).fill(['pending', 'timeout']),
    ]);
  });

  it('reads only the beginning of a response of 100 MB', async () => {
    const ann = await scenario.subscribe();
    let writtenMegabytes = 0;
    const hundredMegabytes = async function* () {
      while (writtenMegabytes < 100) {
        writtenMegabytes += 1;
        yield Buffer.alloc(MEGABYTE);
      }
    };
    ann.receiver.answer = (response) => {
      response.writeHead(200);
      pipeline(hundredMegabytes, response).catch(() => undefined); // the service closes the connection
    };
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ status: 'delivered', responseStatus: 200 });
    expect(writtenMegabytes).toBeLessThan(20); // more than socket buffers hold
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %i [SEC-130]', async (status) => {
    const ann = await scenario.subscribe();
    const inside = await scenario.startReceiver();
    ann.receiver.answer = (response) => response.writeHead(status, { location: inside.url }).end();
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ status: 'pending', responseStatus: status, failure: 'status' });
    expect(inside.received).toEqual([]);
  });

  it('fails if the server switches protocols', async () => {
    const ann = await scenario.subscribe();
    ann.receiver.answer = (response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'chat' }).end();
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ responseStatus: null, failure: 'connection' });
  });

  it('resolves the host name once and connects to the checked address [SEC-029]', async () => {
    const names = jest
      .spyOn(scenario.platform.app.get(DnsClient), 'resolveAddresses')
      .mockResolvedValue(['127.0.0.1']);
    const ann = await scenario.subscribe(undefined, undefined, urlWithName);
    names.mockReset().mockResolvedValueOnce(['127.0.0.1']).mockResolvedValue(['10.0.0.1']);
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(names).toHaveBeenCalledTimes(1);
    expect(await only(ann)).toMatchObject({ status: 'delivered' });
    expect(ann.receiver.received[0]?.headers.host).toMatch(/^hooks\.example\.org:/);
  });

  it('is not sent to a host name that resolves to an internal address by now [SEC-046]', async () => {
    const names = jest
      .spyOn(scenario.platform.app.get(DnsClient), 'resolveAddresses')
      .mockResolvedValue(['127.0.0.1']);
    const ann = await scenario.subscribe(undefined, undefined, urlWithName);
    names.mockResolvedValue(['127.0.0.1', '169.254.169.254']); // one internal address of several is sufficient
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ attempts: 1, responseStatus: null, failure: 'address-refused' });
    expect(ann.receiver.received).toEqual([]);
  });

  it('is not sent, and is retried like a failed one, if its webhook’s secret cannot be decrypted', async () => {
    const ann = await scenario.subscribe();
    await scenario.platform.dataSource.query(
      `update webhook_subscription set secret = decode(repeat('00', 64), 'hex') where id = $1`,
      [ann.id],
    );
    await scenario.test(ann);
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ status: 'pending', attempts: 1, failure: 'unsent' });
    expect(ann.receiver.received).toEqual([]);
  });

  it('is sent once by one of two replicas', async () => {
    const replica = await startReplicaWithoutPort(scenario.platform);
    const other = replica.get(Jobs).queue('webhook-deliveries');
    const subscribers = await Promise.all(Array.from({ length: 4 }, () => scenario.subscribe()));
    const testReplies = await Promise.all(
      subscribers.flatMap((ann) => Array.from({ length: 10 }, () => scenario.test(ann))),
    );
    await Promise.all([scenario.deliverDue(), other.drain()]);
    await Promise.all([scenario.deliverDue(), other.drain()]);
    const ids = subscribers.flatMap(({ receiver }) => receiver.ids());
    expect(ids.sort()).toEqual(testReplies.map(({ data }) => data.id).sort());
    await replica.close(); // otherwise it would process deliveries of later tests
  });

  it('that is interrupted by the end of its process is due again without a counted attempt', async () => {
    const ann = await scenario.subscribe();
    ann.receiver.answer = () => undefined;
    const worker = scenario.platform.app.get(Jobs).queue('webhook-deliveries');
    const stopping = await startReplicaWithoutPort(scenario.platform);
    const idle = jest.spyOn(worker, 'startDue').mockResolvedValue(undefined); // leaves the delivery to the other process
    manualTimeouts();
    await scenario.test(ann);
    stopping.get(Jobs).get('webhook-deliveries').wake();
    await eventually(async () => expect(ann.receiver.received).toHaveLength(1));
    await stopping.close(); // does not wait for the response
    expect(await only(ann)).toMatchObject({ status: 'pending', attempts: 0, failure: null });
    ann.receiver.acceptAgain();
    idle.mockRestore();
    await scenario.deliverDue();
    expect(await only(ann)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('is stored for thirty days', async () => {
    const ann = await scenario.subscribe();
    await scenario.test(ann);
    await scenario.deliverDue();
    const clean = () => scenario.platform.runJob('old-webhook-deliveries');
    scenario.platform.clock.advance(30 * DAY_MS);
    await clean();
    expect(await scenario.deliveries(ann)).toHaveLength(1);
    scenario.platform.clock.advance(1);
    await clean();
    expect(await scenario.deliveries(ann)).toEqual([]);
  });

  it('has a timestamp of the system clock, which receivers can compare with their clock', async () => {
    const ann = await scenario.subscribe();
    const before = Math.floor(Date.now() / 1000);
    await scenario.test(ann);
    await scenario.deliverDue();
    const [event] = ann.receiver.received;
    const sentAt = Number(event?.headers['webhook-timestamp']); // the domain clock differs by months
    expect(sentAt).toBeGreaterThanOrEqual(before);
    expect(sentAt).toBeLessThanOrEqual(Date.now() / 1000);
    expect(event?.timestamp).toBe(scenario.platform.clock.now().toISOString());
  });
});
