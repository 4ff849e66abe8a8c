import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../../src/common/durations.js';
import { UnitOfWork } from '../../../src/database/unit-of-work.js';
import { EVENT_TYPES } from '../../../src/modules/messaging/webhooks/webhooks.types.js';
import { UserErasureService } from '../../../src/modules/desk/user-admin/user-erasure.service.js';
import { UsersService } from '../../../src/modules/identity/users/users.service.js';
import { eventually } from '../../harness/eventually.js';
import { isSignedBy } from '../../harness/event-receiver.js';
import type { Caller } from '../../harness/http-client.js';
import { LOCK_WAITS } from '../../harness/lock-waits.js';
import { startReplica } from '../../harness/replica.js';
import { WebhookScenario, WEBHOOKS } from '../../fixtures/webhook-scenario.js';

const HOOK_URL = 'http://127.0.0.1:9/hooks'; // no process listens on port 9
const EVENTS = ['deposit.completed', 'withdrawal.completed'];
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/; // 32 bytes

describe("Users' webhooks", () => {
  let scenario: WebhookScenario;

  beforeAll(async () => {
    scenario = await WebhookScenario.start();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => scenario?.stop());

  const newClient = async () => scenario.platform.as(await scenario.platform.given.user());
  const stored = () => scenario.platform.dataSource.query('select * from webhook_subscription order by id');
  /** Prevents deliveries, which an event would start at once, until `mockRestore` is called. */
  const preventDeliveries = () => jest.spyOn(scenario.queue, 'startDue').mockResolvedValue(undefined);

  it.each([
    ['created', (client: Caller) => client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS })],
    ['activated', (client: Caller, path: string) => client.put(path, { status: 'active' })],
  ])('are not %s by a request whose session ends while the request waits [SEC-192]', async (_how, send) => {
    const { platform } = scenario;
    const user = await platform.given.user();
    const client = platform.as(user);
    const path = `${WEBHOOKS}/${(await client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS })).data.id}`;
    await client.put(path, { status: 'disabled' });
    const holder = platform.dataSource.createQueryRunner();
    try {
      await holder.startTransaction();
      await holder.query('select from platform_user where id = $1 for update', [user.id]);
      await holder.query('update session set revoked_at = now() where subject_id = $1', [user.id]);
      const request = send(client, path);
      await eventually(async () => expect(await platform.dataSource.query(LOCK_WAITS)).not.toEqual([]));
      await holder.commitTransaction();
      expect(await request).toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    } finally {
      if (holder.isTransactionActive) await holder.rollbackTransaction();
      await holder.release();
    }
    const webhooks = await platform.as(await platform.given.user(user.email)).get(WEBHOOKS);
    expect(webhooks.data).toMatchObject([{ status: 'disabled' }]);
  });

  it('are created, read, listed, changed and deleted, and the secret is returned once', async () => {
    const client = await newClient();
    const createdAt = scenario.platform.clock.now().toISOString();
    const created = await client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS, description: 'Shop' });
    expect(created.status).toBe(201);
    const { secret, ...shown } = created.data;
    expect(secret).toMatch(SECRET);
    expect(shown).toEqual({
      id: expect.any(String),
      url: HOOK_URL,
      description: 'Shop',
      events: EVENTS,
      status: 'active',
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      createdAt,
      updatedAt: createdAt,
    });
    const path = `${WEBHOOKS}/${shown.id}`;
    expect((await client.get(path)).data).toEqual(shown);
    expect((await client.get(WEBHOOKS)).data).toEqual([shown]);

    const other = 'http://127.0.0.1:9/other';
    expect((await client.put(path, { url: other })).data).toEqual({ ...shown, url: other });
    expect((await client.put(path, { events: ['deposit.held'] })).data).toMatchObject({
      url: other,
      events: ['deposit.held'],
      description: 'Shop',
    });
    expect((await client.put(path, { description: 'Till', status: 'disabled' })).data).toMatchObject({
      description: 'Till',
      status: 'disabled',
      disabledReason: 'user',
    });
    expect((await client.put(path, { description: 'Till 2' })).data).toMatchObject({
      disabledReason: 'user',
    });

    expect((await client.delete(path)).data).toEqual({ id: shown.id, deleted: true });
    expect((await client.get(path)).code).toBe('WEBHOOK_NOT_FOUND');
    expect((await client.get(WEBHOOKS)).data).toEqual([]);
  });

  it('are deleted with their deliveries, which are not sent', async () => {
    const ann = await scenario.subscribe();
    const deliveryStarts = preventDeliveries();
    await scenario.test(ann);
    const rows = () =>
      scenario.platform.dataSource.query('select id from webhook_delivery where subscription_id = $1', [
        ann.id,
      ]);
    expect(await rows()).toHaveLength(1);
    await scenario.platform.as(ann.user).delete(`${WEBHOOKS}/${ann.id}`);
    expect(await rows()).toEqual([]);
    deliveryStarts.mockRestore();
    await scenario.deliverDue();
    expect(ann.receiver.received).toEqual([]);
  });

  it('are deleted when their user is anonymised, and receive no later events', async () => {
    const ann = await scenario.subscribe();
    const { app, given } = scenario.platform;
    const user = await app.get(UsersService).get(ann.user.id);
    await app.get(UnitOfWork).runInTransaction((tx) => app.get(UserErasureService).anonymise(tx, user));
    expect(await stored()).not.toContainEqual(expect.objectContaining({ id: ann.id }));
    await given.deposit(ann.user.id, '500.00');
    await scenario.deliverDue();
    expect(ann.receiver.received).toEqual([]);
  });

  it('have a secret that is encrypted in the database [SEC-123]', async () => {
    const { data } = await (await newClient()).post(WEBHOOKS, { url: HOOK_URL, events: EVENTS });
    // Encrypted columns are buffers: as latin1 text they would contain the bytes of an unencrypted secret, escaped by JSON.stringify.
    const rows = JSON.stringify(await stored(), (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    expect(rows).toContain(data.id);
    expect(rows).not.toContain(data.secret.slice('whsec_'.length, 20));
    const bytes = Buffer.from(data.secret.slice('whsec_'.length), 'base64').toString('latin1');
    expect(rows).not.toContain(JSON.stringify(bytes).slice(1, -1));
  });

  it.each([
    ['no URL', { url: undefined }, 'MISSING_REQUIRED_FIELD', 'url'],
    ['no events', { events: undefined }, 'MISSING_REQUIRED_FIELD', 'events'],
    ['an empty list of events', { events: [] }, 'VALIDATION_ERROR', 'events'],
    ['an unknown event', { events: ['deposit.dreamt'] }, 'VALIDATION_ERROR', 'events'],
    ['an event that cannot be subscribed', { events: ['deposit.confirming'] }, 'VALIDATION_ERROR', 'events'],
    ['an event twice', { events: ['deposit.seen', 'deposit.seen'] }, 'VALIDATION_ERROR', 'events'],
    ['text instead of a list of events', { events: 'deposit.seen' }, 'VALIDATION_ERROR', 'events'],
    ['a description of two lines', { description: 'a\nb' }, 'VALIDATION_ERROR', 'description'],
    ['an unknown field', { secret: 'mine' }, 'VALIDATION_ERROR', 'secret'],
    ['an invalid URL', { url: 'hooks' }, 'VALIDATION_ERROR', 'url'],
    ['a URL that is too long', { url: `http://127.0.0.1/${'a'.repeat(2000)}` }, 'VALIDATION_ERROR', 'url'],
    ['an unsupported protocol', { url: 'ftp://127.0.0.1/' }, 'VALIDATION_ERROR', 'url'],
    ['a password in the URL', { url: 'http://a:b@127.0.0.1/' }, 'VALIDATION_ERROR', 'url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'VALIDATION_ERROR', 'url'],
    ['the address of cloud metadata', { url: 'http://169.254.169.254/latest' }, 'VALIDATION_ERROR', 'url'],
  ])('are rejected with %s', async (_what, change, code, field) => {
    const client = await newClient();
    const before = await stored();
    const refused = await client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS, ...change });
    expect(refused).toMatchObject({ status: 400, code });
    expect(refused.body.error.details.fields).toEqual([expect.objectContaining({ field })]);
    expect(await stored()).toEqual(before);

    if (code !== 'VALIDATION_ERROR') return; // a change may omit every field
    const { data } = await client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS });
    const refusedChange = await client.put(`${WEBHOOKS}/${data.id}`, change);
    expect(refusedChange).toMatchObject({ status: 400, code });
    const { secret: _secret, ...shown } = data;
    expect((await client.get(`${WEBHOOKS}/${data.id}`)).data).toEqual(shown);
  });

  it('are limited to ten per user, also concurrently', async () => {
    const client = await newClient();
    const create = () => client.post(WEBHOOKS, { url: HOOK_URL, events: EVENTS });
    for (let i = 0; i < 9; i++) expect((await create()).status).toBe(201);
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]); // 10 − 9 = 1 is left
    expect((await client.get(WEBHOOKS)).data).toHaveLength(10);
    expect((await create()).body.error.details.fields).toEqual([
      { field: 'url', message: 'exceeds the limit of 10 webhooks per user; delete one first' },
    ]);
  });

  it('sign with the old and the new secret for a day after a rotation, then with the new one', async () => {
    const ann = await scenario.subscribe();
    const rotate = () => scenario.platform.as(ann.user).post(`${WEBHOOKS}/${ann.id}/rotate-secret`);
    const { data } = await rotate();
    expect(data.secret).toMatch(SECRET);
    expect(data.secret).not.toBe(ann.secret);
    expect(data.previousSecretUntil).toBe(
      new Date(scenario.platform.clock.now().getTime() + 24 * HOUR_MS).toISOString(),
    );
    const send = async () => {
      await scenario.test(ann);
      await scenario.deliverDue();
      return ann.receiver.received.at(-1) as NonNullable<(typeof ann.receiver.received)[0]>;
    };

    const signedTwice = await send();
    expect(String(signedTwice.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect([ann.secret, data.secret].map((secret) => isSignedBy(secret, signedTwice))).toEqual([true, true]);
    scenario.platform.clock.advance(24 * HOUR_MS);
    const signedOnce = await send();
    expect(String(signedOnce.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect([ann.secret, data.secret].map((secret) => isSignedBy(secret, signedOnce))).toEqual([false, true]);
    expect(isSignedBy((await rotate()).data.secret, signedOnce)).toBe(false);
  });

  it('can be tested with an event regardless of their subscribed events', async () => {
    const ann = await scenario.subscribe(['deposit.held']);
    const testReply = await scenario.test(ann);
    expect([testReply.status, testReply.data.status]).toEqual([201, 'pending']);
    await scenario.deliverDue();
    expect(ann.receiver.received).toHaveLength(1);
    expect(ann.receiver.received[0]).toMatchObject({
      id: testReply.data.id,
      type: 'webhook.test',
      data: { webhookId: ann.id },
    });
  });

  it('have a list of deliveries, newest first, paged and filtered by status', async () => {
    const ann = await scenario.subscribe();
    const ids: string[] = [];
    const deliveryStarts = preventDeliveries(); // until all events exist
    for (let i = 0; i < 5; i++) {
      ids.unshift((await scenario.test(ann)).data.id);
      scenario.platform.clock.advance(1000);
    }
    deliveryStarts.mockRestore();
    ann.receiver.answer = (response, { id }) =>
      response.writeHead(id === ids[0] ? 500 : 200).end('{"marker": 1}');
    await scenario.deliverDue();
    const list = (query: string) =>
      scenario.platform.as(ann.user).get(`${WEBHOOKS}/${ann.id}/deliveries${query}`);
    const page = await list('?page=2&limit=2');
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[3]]);
    expect(page.body.pagination).toMatchObject({ total: 5, totalPages: 3 });
    const pending = await list('?status=pending');
    expect(pending.data).toEqual([
      {
        id: ids[0],
        event: 'webhook.test',
        status: 'pending',
        attempts: 1,
        responseStatus: 500,
        failure: 'status',
        durationMs: expect.any(Number),
        createdAt: expect.any(String),
        lastAttemptAt: expect.any(String),
        nextAttemptAt: expect.any(String),
      },
    ]);
    expect(pending.body.pagination.total).toBe(1);
    expect(JSON.stringify((await list('')).body)).not.toContain('marker'); // responses of receivers are not stored
    expect((await list('?status=lost')).code).toBe('VALIDATION_ERROR');
    expect((await list('?limit=101')).code).toBe('INVALID_PAGINATION');
  });

  it('redeliver their own deliveries only', async () => {
    const ann = await scenario.subscribe();
    const second = await scenario.subscribe(undefined, ann.user);
    const { data } = await scenario.test(ann);
    await scenario.deliverDue();
    const redeliver = (id: string, delivery: string) =>
      scenario.platform.as(ann.user).post(`${WEBHOOKS}/${id}/deliveries/${delivery}/redeliver`);
    for (const attempt of [
      redeliver(second.id, data.id),
      redeliver(ann.id, randomUUID()),
      redeliver(ann.id, '1'),
    ])
      expect(await attempt).toMatchObject({ status: 404, code: 'WEBHOOK_DELIVERY_NOT_FOUND' });
    expect((await redeliver(ann.id, data.id)).data).toMatchObject({ status: 'pending', attempts: 0 });
    await scenario.deliverDue();
    expect(ann.receiver.ids()).toEqual([data.id, data.id]);
    expect(second.receiver.received).toEqual([]);
  });

  it('have a rate limit for tests and redeliveries', async () => {
    const replicaUrl = await startReplica(scenario.platform, { RATE_LIMIT_WEBHOOK: 2 });
    const ann = await scenario.subscribe();
    const client = scenario.platform.as(ann.user, replicaUrl);
    const path = `${WEBHOOKS}/${ann.id}`;
    const first = await client.post(`${path}/test`);
    expect(first.status).toBe(201);
    const redeliver = () => client.post(`${path}/deliveries/${first.data.id}/redeliver`);
    expect((await redeliver()).status).toBe(200);
    expect((await client.post(`${path}/test`)).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await redeliver()).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await client.get(path)).status).toBe(200); // reading has a different limit
    await scenario.deliverDue();
  });

  it('accept every event type', async () => {
    const client = await newClient();
    const { data } = await client.post(WEBHOOKS, { url: HOOK_URL, events: EVENT_TYPES });
    expect(data.events).toEqual(EVENT_TYPES);
  });
});
