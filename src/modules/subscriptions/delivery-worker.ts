import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { realNow } from '../../common/clock.js';
import { DeliveryRecords, type DueDelivery } from './delivery-records.js';
import { callReceiver, type Attempt } from './receiver-call.js';
import { ReceiverRefused, Receivers } from './receivers.js';
import { SealedSecrets } from './sealed-secrets.js';

const JOB_NAME = 'webhook-deliveries';
const MOST_AT_ONCE = 64;
const MOST_OF_ONE_SUBSCRIPTION = 2; // a slow receiver holds no more places than these

interface Sending {
  readonly subscriptionId: string;
  readonly end: Promise<void>;
}

/**
 * Sends what is due, on every replica. At least once: a process that dies between sending and writing it down leaves a
 * delivery that is sent again, with the same webhook-id. No order is promised.
 */
@Injectable()
export class DeliveryWorker implements BeforeApplicationShutdown {
  private readonly log = new Logger('DeliveryWorker');
  private readonly sending = new Map<string, Sending>();

  constructor(
    private readonly records: DeliveryRecords,
    private readonly receivers: Receivers,
    private readonly secrets: SealedSecrets,
    private readonly jobs: Jobs,
  ) {}

  /** The end of the job has interrupted the deliveries under way: they are due at once, for another process. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.allEnded();
  }

  /** Has what is due sent soon; nobody waits for it. */
  kick(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  /** Sends all that is due now and waits until each has its answer. */
  async drain(): Promise<void> {
    const job = this.jobs.get(JOB_NAME);
    do {
      await job.runOnce();
      await this.allEnded();
      await job.idle(); // each delivery that ends wakes the job
    } while (this.sending.size > 0);
  }

  /** Does not wait for the answers: they leave their places one by one. */
  @Job({
    name: JOB_NAME,
    purpose: 'Sends the deliveries to users’ webhooks that are due',
    everySeconds: 2,
  })
  async fill(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.sending.size < MOST_AT_ONCE) {
      const taken = await this.records.take(this.busy(), MOST_AT_ONCE - this.sending.size);
      if (taken.length === 0) return;
      for (const delivery of taken) this.begin(delivery, stopping);
    }
  }

  /** Subscriptions that have all their places taken. */
  private busy(): string[] {
    const places = new Map<string, number>();
    for (const { subscriptionId } of this.sending.values())
      places.set(subscriptionId, (places.get(subscriptionId) ?? 0) + 1);
    return [...places].filter(([, taken]) => taken >= MOST_OF_ONE_SUBSCRIPTION).map(([id]) => id);
  }

  private begin(delivery: DueDelivery, stopping: AbortSignal): void {
    const end = this.deliver(delivery, stopping)
      .catch((error: unknown) =>
        this.log.warn({ msg: 'a delivery was not settled', deliveryId: delivery.id, err: error }),
      )
      .finally(() => {
        this.sending.delete(delivery.id);
        this.kick(); // there may be more for the place that has become free
      });
    this.sending.set(delivery.id, { subscriptionId: delivery.subscriptionId, end });
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
