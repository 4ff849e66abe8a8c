import { HOUR_MS } from '../../../src/common/durations.js';
import { WebhookScenario, WEBHOOKS, type Subscriber } from '../../fixtures/webhook-scenario.js';
import type { EventReceiver } from '../../harness/event-receiver.js';
import { claimWithoutAttempts } from '../../harness/claims.js';
import { eventually } from '../../harness/eventually.js';
import { patchingQueries, type Send } from '../../harness/patched-queries.js';
import { QueryPlans, rowsExamined } from '../../harness/query-plans.js';
import { statementsDuring } from '../../harness/queries.js';

// Turns of users in the delivery of events to their webhooks, and the limit of deliveries that wait.

const ATTACKERS = 4;
const WEBHOOKS_PER_ATTACKER = 10;
const SLOW_ANSWER_MS = 9500; // less than the time-out of ten seconds, so that the webhooks stay active
const MAX_DELAY_MS = 5000;
const MAX_WAITING = 1000;

describe('Deliveries of a user', () => {
  let scenario: WebhookScenario;

  beforeAll(async () => {
    scenario = await WebhookScenario.start({}, { mail: true });
  });
  afterEach(() => scenario.platform.dataSource.query('delete from webhook_delivery'));
  afterAll(() => scenario?.stop());

  const subscribeAgain = async ({ user, receiver }: Subscriber, events = ['deposit.completed']) => {
    const { data } = await scenario.platform.as(user).post(WEBHOOKS, { url: receiver.url, events });
    return { user, receiver, id: data.id as string, secret: data.secret as string };
  };
  const answerSlowly = (receiver: EventReceiver) => {
    receiver.answer = (response) => {
      setTimeout(() => response.writeHead(200).end(), SLOW_ANSWER_MS).unref();
    };
  };

  it('to ten slow webhooks of each of four users delay those of another user by less than five seconds [SEC-380]', async () => {
    const attackers = await Promise.all(
      Array.from({ length: ATTACKERS }, async () => {
        const first = await scenario.subscribe(['deposit.completed']);
        answerSlowly(first.receiver);
        const webhooks = [first];
        while (webhooks.length < WEBHOOKS_PER_ATTACKER) webhooks.push(await subscribeAgain(first));
        for (const webhook of webhooks) await scenario.insertDue(webhook, 20);
        return first;
      }),
    );
    const victim = await scenario.subscribe();
    await scenario.platform.runJob('webhook-deliveries');
    await eventually(async () => {
      // as many as are sent to one user at once
      for (const { receiver } of attackers) expect(receiver.received).toHaveLength(4);
    });
    const started = performance.now();
    for (let event = 0; event < 16; event++) expect((await scenario.test(victim)).status).toBe(201);
    await eventually(async () => expect(victim.receiver.received).toHaveLength(16), 40_000);
    expect(performance.now() - started).toBeLessThan(MAX_DELAY_MS);
    for (const { receiver } of attackers) expect(receiver.received).toHaveLength(4);
    await Promise.all(attackers.map(({ receiver }) => receiver.stop())); // ends the open attempts
    await eventually(async () =>
      expect(await scenario.deliveries(victim)).toMatchObject(Array(16).fill({ status: 'delivered' })),
    );
  });

  it('take turns with those of other users: one each, beginning after the user whose turn was last', async () => {
    jest.spyOn(scenario.queue, 'startDue').mockResolvedValue(undefined); // only this test claims
    const subscribers: Subscriber[] = [];
    for (let count = 0; count < 40; count++) subscribers.push(await scenario.subscribe());
    for (const subscriber of subscribers) await scenario.insertDue(subscriber, 10);
    const users = subscribers.map(({ user }) => user.id).sort();
    const claimed = async () => (await claimWithoutAttempts(scenario.queue)).map(({ owner }) => owner);
    const [first, second] = [await claimed(), await claimed()];
    jest.restoreAllMocks();
    expect([first.length, second.length]).toEqual([64, 64]); // as many as are sent at once
    expect(first.slice(0, 40).sort()).toEqual(users);
    // The last 24 of the first claim and the first 16 of the second one are the second turn of all forty users.
    expect([...first.slice(40), ...second.slice(0, 16)].sort()).toEqual(users);
  });

  it('are sent as soon as they are claimed, before the queue claims others', async () => {
    const ann = await scenario.subscribe();
    await scenario.insertDue(ann, 1);
    let claims = 0;
    let isSent: boolean | undefined;
    /** Holds the second claim of the queue back until the receiver has the delivery of the first one. */
    const sendAfterDelivery = async (args: unknown[], send: Send) => {
      const received = eventually(async () => expect(ann.receiver.received).toHaveLength(1));
      isSent = await received.then(
        () => true,
        () => false,
      );
      return send(...args);
    };
    await patchingQueries(
      (_client, args, send) => {
        const isClaim = String(args[0]).includes('update webhook_delivery as claimed');
        if (isClaim) claims += 1;
        return isClaim && claims === 2 ? sendAfterDelivery(args, send) : send(...args);
      },
      () => scenario.queue.drain(),
    );
    expect(isSent).toBe(true);
    expect(await scenario.deliveries(ann)).toMatchObject([{ status: 'delivered' }]);
  });

  it('are claimed by scans of an index that read few rows, whatever waits', async () => {
    jest.spyOn(scenario.queue, 'startDue').mockResolvedValue(undefined);
    const slow = await scenario.subscribe();
    const disabled = await scenario.subscribe();
    await scenario.insertDue(slow, 20_000);
    await scenario.insertDue(disabled, 20_000);
    await scenario.platform.as(disabled.user).put(`${WEBHOOKS}/${disabled.id}`, { status: 'disabled' });
    await scenario.platform.dataSource.query('analyze webhook_delivery');
    const statements = await statementsDuring(() => claimWithoutAttempts(scenario.queue));
    const [claim] = statements.filter(({ text }) => text.includes('update webhook_delivery'));
    const plans = await QueryPlans.connect(scenario.platform.env.DATABASE_URL as string);
    const nodes = await plans.nodesOf(claim as (typeof statements)[number], { analyze: true });
    await plans.end();
    jest.restoreAllMocks();
    const scans = nodes.filter(
      (node) => node['Relation Name'] === 'webhook_delivery' && node['Node Type'] !== 'ModifyTable',
    );
    expect(new Set(scans.map((node) => node['Index Name']))).toEqual(
      new Set(['webhook_delivery_turn', 'webhook_delivery_pkey']),
    );
    expect(Math.max(...scans.map(rowsExamined))).toBeLessThanOrEqual(3); // one of each user, and the end
  });

  describe('that wait', () => {
    const checkBacklogs = () => scenario.platform.runJob('webhook-backlogs');
    const statusOf = async (subscriber: Subscriber) => {
      const { status, disabledReason } = await scenario.webhook(subscriber);
      return disabledReason ?? status;
    };
    /** Two webhooks of a user that were not changed for two hours. No delivery is attempted. */
    const twoWebhooks = async (): Promise<[Subscriber, Subscriber]> => {
      const first = await scenario.subscribe();
      const second = await subscribeAgain(first);
      scenario.platform.clock.advance(2 * HOUR_MS);
      return [first, second];
    };

    beforeEach(() => {
      jest.spyOn(scenario.queue, 'startDue').mockResolvedValue(undefined);
    });
    afterEach(() => jest.restoreAllMocks());

    it('disable the webhook that has failed for longest when they are more than 1,000, with a notification and a mail [SEC-381]', async () => {
      const [failing, other] = await twoWebhooks();
      await scenario.platform.dataSource.query(
        'update webhook_subscription set failing_since = $2 where id = $1',
        [failing.id, scenario.platform.clock.now()],
      );
      await scenario.insertDue(other, MAX_WAITING - 1, 1);
      await scenario.insertDue(failing, 1);
      await checkBacklogs();
      expect([await statusOf(failing), await statusOf(other)]).toEqual(['active', 'active']);
      await scenario.insertDue(other, 1);
      await checkBacklogs();
      await checkBacklogs();
      expect([await statusOf(failing), await statusOf(other)]).toEqual(['backlog', 'active']);
      const { data } = await scenario.platform.as(failing.user).get('/api/user/notifications');
      const notes = data.filter(({ title }: { title: string }) => title === 'Webhook disabled');
      expect(notes).toMatchObject([
        { type: 'system', metadata: { webhookId: failing.id, reason: 'backlog' } },
      ]);
      const mails = await scenario.platform.dataSource.query(
        'select kind, is_security from mail where user_id = $1 and kind = $2',
        [failing.user.id, 'security.webhook-disabled'],
      );
      expect(mails).toEqual([{ kind: 'security.webhook-disabled', is_security: true }]);
    });

    it('disable the webhook with the oldest one if none has failed, and are sent when it is activated again', async () => {
      const [newer, older] = await twoWebhooks();
      await scenario.insertDue(older, 1, 2);
      await scenario.insertDue(newer, MAX_WAITING, 1);
      await checkBacklogs();
      expect([await statusOf(older), await statusOf(newer)]).toEqual(['backlog', 'active']);
      await scenario.platform.as(older.user).put(`${WEBHOOKS}/${older.id}`, { status: 'active' });
      await checkBacklogs(); // not in the hour after a change
      expect([await statusOf(older), await statusOf(newer)]).toEqual(['active', 'active']);
      jest.restoreAllMocks();
      await scenario.deliverDue();
      expect(await scenario.deliveries(older, '?status=pending')).toEqual([]);
      expect(older.receiver.received).toHaveLength(MAX_WAITING + 1);
    });
  });
});
