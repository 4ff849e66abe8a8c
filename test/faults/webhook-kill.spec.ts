import { ApiProcess } from '../harness/api-process.js';
import { isSignedBy } from '../harness/event-receiver.js';
import { WebhookScenario, WEBHOOKS } from '../fixtures/webhook-scenario.js';

describe('An API process that is killed between sending an event and recording its delivery', () => {
  let scenario: WebhookScenario;
  let api: ApiProcess;

  beforeAll(async () => {
    scenario = await WebhookScenario.start();
    // The process has the real clock; its deliveries are not due yet at the time of the test's frozen clock.
    api = await ApiProcess.launch(scenario.platform.env);
    await api.waitUntilReady();
  });
  afterAll(async () => {
    await api.kill();
    await scenario.stop();
  });

  it('leaves the event in the outbox, and it is sent again with the same webhook-id', async () => {
    const ann = await scenario.subscribe();
    const killed = new Promise<void>((resolve) => {
      ann.receiver.answer = () => void api.kill().then(resolve);
    });
    const testEvent = await scenario.platform.as(ann.user, api.url).post(`${WEBHOOKS}/${ann.id}/test`);
    expect(testEvent.status).toBe(201);
    await killed;
    ann.receiver.acceptAgain();

    scenario.platform.clock.moveTo(new Date());
    await scenario.deliverDue();
    expect(ann.receiver.ids()).toEqual([testEvent.data.id]); // the lease of the killed process has not expired
    scenario.platform.clock.advance(61_000); // longer than the lease of 60 s
    await scenario.deliverDue();
    expect(ann.receiver.ids()).toEqual([testEvent.data.id, testEvent.data.id]);
    for (const event of ann.receiver.received) expect(isSignedBy(ann.secret, event)).toBe(true);
    expect((await scenario.deliveries(ann))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});
