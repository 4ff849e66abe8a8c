import { ApiProcess } from '../harness/api-process.js';
import { isSignedBy } from '../harness/event-receiver.js';
import { SubscriptionScenario, WEBHOOKS } from '../fixtures/subscription-scenario.js';

// The API as a process of its own, killed while a user's server has an event and has not answered yet.

describe('an API process that is killed between sending an event and writing it down', () => {
  let scenario: SubscriptionScenario;
  let api: ApiProcess;

  beforeAll(async () => {
    scenario = await SubscriptionScenario.start();
    // Its clock is the real one: what it makes is not due yet where the clock of the tests stands.
    api = await ApiProcess.launch(scenario.platform.env);
    await api.waitUntilReady();
  });
  afterAll(async () => {
    await api.kill();
    await scenario.stop();
  });

  it('leaves it to be sent once more, with the same webhook-id', async () => {
    const ann = await scenario.subscribe();
    const killed = new Promise<void>((resolve) => {
      ann.receiver.answer = () => void api.kill().then(resolve);
    });
    const asked = await scenario.platform.as(ann.user, api.url).post(`${WEBHOOKS}/${ann.id}/test`);
    expect(asked.status).toBe(201);
    await killed;
    ann.receiver.acceptAgain();

    scenario.platform.clock.moveTo(new Date());
    await scenario.deliverDue();
    expect(ann.receiver.ids()).toEqual([asked.data.id]); // somebody may be at it still
    scenario.platform.clock.advance(61_000);
    await scenario.deliverDue();
    expect(ann.receiver.ids()).toEqual([asked.data.id, asked.data.id]);
    for (const event of ann.receiver.received) expect(isSignedBy(ann.secret, event)).toBe(true);
    expect((await scenario.deliveries(ann))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});
