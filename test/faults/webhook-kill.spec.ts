import { ApiProcess } from '../harness/api-process.js';
import { isSignedBy } from '../harness/event-receiver.js';
import { SubscriptionScene, WEBHOOKS } from '../fixtures/subscription-scene.js';

// The API as a process of its own, killed while a user's server has an event and has not answered yet.

describe('an API process that is killed between sending an event and writing it down', () => {
  let scene: SubscriptionScene;
  let api: ApiProcess;

  beforeAll(async () => {
    scene = await SubscriptionScene.start();
    // Its clock is the real one: what it makes is not due yet where the clock of the tests stands.
    api = await ApiProcess.on(scene.platform.env);
    await api.ready();
  });
  afterAll(async () => {
    await api.kill();
    await scene.stop();
  });

  it('leaves it to be sent once more, with the same webhook-id', async () => {
    const ann = await scene.subscriber();
    const killed = new Promise<void>((resolve) => {
      ann.receiver.answer = () => void api.kill().then(resolve);
    });
    const asked = await scene.platform.as(ann.user, api.url).post(`${WEBHOOKS}/${ann.id}/test`);
    expect(asked.status).toBe(201);
    await killed;
    ann.receiver.acceptAgain();

    scene.platform.clock.moveTo(new Date());
    await scene.drain();
    expect(ann.receiver.ids()).toEqual([asked.data.id]); // somebody may be at it still
    scene.platform.clock.advance(61_000);
    await scene.drain();
    expect(ann.receiver.ids()).toEqual([asked.data.id, asked.data.id]);
    for (const event of ann.receiver.received) expect(isSignedBy(ann.secret, event)).toBe(true);
    expect((await scene.deliveries(ann))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});
