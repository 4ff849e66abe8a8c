import { DeliveryWorker } from '../../src/modules/subscriptions/delivery-worker.js';
import { EVENT_TYPES } from '../../src/modules/subscriptions/event-types.js';
import { EventReceiver } from './event-receiver.js';
import type { TestUser } from './given.js';
import { startPlatform, type TestPlatform } from './platform.js';

export const WEBHOOKS = '/api/user/webhooks';

export interface Subscriber {
  user: TestUser;
  id: string;
  secret: string;
  receiver: EventReceiver;
}

/** A platform with users who have servers of their own. */
export class SubscriptionScene {
  private readonly receivers: EventReceiver[] = [];

  private constructor(readonly platform: TestPlatform) {}

  static async start(settings: Record<string, string> = {}): Promise<SubscriptionScene> {
    const all = { DEPOSIT_POLL_SECONDS: '3600', ...settings };
    return new SubscriptionScene(await startPlatform({ settings: all, blockIntervalMs: 0 }));
  }

  stop = async (): Promise<void> => {
    await Promise.all(this.receivers.map((receiver) => receiver.stop())); // what still waits for them ends
    await this.platform.stop();
  };

  async receiver(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    this.receivers.push(receiver);
    await receiver.start();
    return receiver;
  }

  /** A server of a user's, of a new one with 10000.00 unless given, that is told of `events`. */
  async subscriber(
    events: readonly string[] = EVENT_TYPES,
    user?: TestUser,
    urlOf = (receiver: EventReceiver) => receiver.url,
  ): Promise<Subscriber> {
    const owner = user ?? (await this.platform.given.user().withBalance('10000.00'));
    const receiver = await this.receiver();
    const { data, body } = await this.platform.as(owner).post(WEBHOOKS, { url: urlOf(receiver), events });
    if (!data) throw new Error(JSON.stringify(body));
    return { user: owner, id: data.id, secret: data.secret, receiver };
  }

  /** Sends all that is due and waits for the answers. */
  drain = (): Promise<void> => this.platform.app.get(DeliveryWorker).drain();

  test = ({ user, id }: Subscriber) => this.platform.as(user).post(`${WEBHOOKS}/${id}/test`);

  /** As the owner sees it. */
  webhook = async ({ user, id }: Subscriber) => (await this.platform.as(user).get(`${WEBHOOKS}/${id}`)).data;

  /** As the owner sees them, the newest first. */
  deliveries = async ({ user, id }: Subscriber, query = '') =>
    (await this.platform.as(user).get(`${WEBHOOKS}/${id}/deliveries${query}`)).data;
}
