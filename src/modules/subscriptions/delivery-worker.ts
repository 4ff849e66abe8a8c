import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { realNow } from '../../kernel/clock.js';
import { Turns } from '../../kernel/turns.js';
import { DeliveryRecords, type DueDelivery } from './delivery-records.js';
import { callReceiver, type Attempt } from './receiver-call.js';
import { ReceiverRefused, Receivers } from './receivers.js';
import { SealedSecrets } from './sealed-secrets.js';

const LOOK_EVERY_MS = 2000;
const MOST_AT_ONCE = 64;
const MOST_OF_ONE_SUBSCRIPTION = 2; // a slow receiver holds no more places than these

interface Sending {
  readonly subscriptionId: string;
  readonly interruption: AbortController;
  readonly end: Promise<void>;
}

/**
 * Sends what is due, on every replica. At least once: a process that dies between sending and writing it down leaves a
 * delivery that is sent again, with the same webhook-id. No order is promised.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('DeliveryWorker');
  private readonly turns = new Turns(() => this.fill());
  private readonly sending = new Map<string, Sending>();
  private timer: NodeJS.Timeout | undefined;
  private isEnding = false;

  constructor(
    private readonly records: DeliveryRecords,
    private readonly receivers: Receivers,
    private readonly secrets: SealedSecrets,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.kick(), LOOK_EVERY_MS).unref();
  }

  /** What is under way is broken off and due at once: another replica goes on with it. */
  async onModuleDestroy(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.turns.settled();
    for (const { interruption } of this.sending.values()) interruption.abort();
    await this.allEnded();
  }

  /** Has what is due sent soon; nobody waits for it. */
  kick(): void {
    if (this.isEnding) return;
    this.turns
      .take()
      .catch((error: unknown) => this.log.warn({ msg: 'the outbox could not be read', err: error }));
  }

  /** Sends all that is due now and waits until each has its answer. */
  async drain(): Promise<void> {
    do {
      await this.turns.take();
      await this.allEnded();
      await this.turns.idle(); // each that ends has looked for more
    } while (this.sending.size > 0);
  }

  private async fill(): Promise<void> {
    while (!this.isEnding && this.sending.size < MOST_AT_ONCE) {
      const taken = await this.records.take(this.busy(), MOST_AT_ONCE - this.sending.size);
      if (taken.length === 0) return;
      for (const delivery of taken) this.begin(delivery);
    }
  }

  /** Subscriptions that have all their places taken. */
  private busy(): string[] {
    const places = new Map<string, number>();
    for (const { subscriptionId } of this.sending.values())
      places.set(subscriptionId, (places.get(subscriptionId) ?? 0) + 1);
    return [...places].filter(([, taken]) => taken >= MOST_OF_ONE_SUBSCRIPTION).map(([id]) => id);
  }

  private begin(delivery: DueDelivery): void {
    const interruption = new AbortController();
    const end = this.deliver(delivery, interruption.signal)
      .catch((error: unknown) =>
        this.log.warn({ msg: 'a delivery was not settled', deliveryId: delivery.id, err: error }),
      )
      .finally(() => {
        this.sending.delete(delivery.id);
        this.kick(); // there may be more for the place that has become free
      });
    this.sending.set(delivery.id, { subscriptionId: delivery.subscriptionId, interruption, end });
  }

  private async deliver(delivery: DueDelivery, interrupted: AbortSignal): Promise<void> {
    const attempt = await this.attempt(delivery, interrupted);
    if (attempt) await this.records.settle(delivery, attempt);
    else await this.records.giveBack(delivery);
  }

  /**
   * Undefined when it was interrupted. The addresses are looked up, judged and connected to in one go: a name that
   * changes in between changes nothing.
   */
  private async attempt(delivery: DueDelivery, interrupted: AbortSignal): Promise<Attempt | undefined> {
    const { url, body } = delivery;
    try {
      const addresses = await this.receivers.addressesOf(url);
      return await callReceiver({ url, addresses, headers: this.headersOf(delivery), body }, interrupted);
    } catch (error) {
      if (interrupted.aborted) return undefined;
      const isRefused = error instanceof ReceiverRefused;
      const why = isRefused ? { why: error.message } : { err: error };
      this.log.warn({ msg: 'a delivery was not sent', deliveryId: delivery.id, ...why });
      return { responseStatus: null, failure: isRefused ? 'address-refused' : 'unsent', durationMs: 0 };
    }
  }

  private headersOf(delivery: DueDelivery): Record<string, string> {
    const { id, body, subscriptionId } = delivery;
    const at = realNow(); // receivers compare it with their own clocks
    const signatures = [delivery.secret, delivery.previousSecret]
      .filter((sealed) => sealed !== null)
      .map((sealed) => new Webhook(this.secrets.open(subscriptionId, sealed)).sign(id, at, body));
    return {
      'content-type': 'application/json',
      'user-agent': 'stablecoin-platform-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  }

  private async allEnded(): Promise<void> {
    await Promise.all([...this.sending.values()].map(({ end }) => end));
  }
}
