import { Injectable, Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { Clock, realNow } from '../../../common/clock.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../common/durations.js';
import { jitteredDelayMs } from '../../../common/retry-delay.js';
import { Queue, type RecordResult } from '../../../jobs/queue.decorator.js';
import { DELIVERY_TABLE, type ClaimedDelivery } from './deliveries.repository.js';
import { WebhookDelivery } from './entities/webhook.entity.js';
import { callReceiver, ReceiverRefused, ReceiversService } from './receivers.service.js';
import { SecretEncryptionService } from './secret-encryption.service.js';
import { WebhookHealthService } from './webhook-health.service.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { GONE, type Attempt } from './webhooks.types.js';

export const DELIVERIES = 'webhook-deliveries';

/** The delays that Standard Webhooks recommends: ten attempts within about three days. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/**
 * Sends due deliveries, on every replica, at least once: if a process dies between sending a delivery and recording the
 * result, another process sends it again with the same webhook-id. The order is not guaranteed.
 */
@Injectable()
export class DeliveriesJob {
  private readonly log = new Logger('Deliveries');

  constructor(
    private readonly health: WebhookHealthService,
    private readonly subscriptions: WebhooksRepository,
    private readonly clock: Clock,
    private readonly receivers: ReceiversService,
    private readonly encryption: SecretEncryptionService,
  ) {}

  @Queue<WebhookDelivery, ClaimedDelivery>({
    name: DELIVERIES,
    purpose: 'Sends the deliveries to users’ webhooks that are due',
    everySeconds: 2,
    entity: WebhookDelivery,
    table: DELIVERY_TABLE,
    maxRunning: 64,
    maxRunningPerOwner: 4, // so that a user's slow receivers do not delay those of other users
    perGroup: { idOf: ({ subscriptionId }) => subscriptionId, maxRunning: 2 },
    retentionDays: 30, // longer than the retries of a delivery
  })
  async deliver(
    delivery: ClaimedDelivery,
    interrupted: AbortSignal,
  ): Promise<RecordResult<WebhookDelivery> | undefined> {
    const attempt = await this.attemptDelivery(delivery, interrupted);
    if (!attempt) return undefined;
    return async (tx, settle) => {
      // Before the delivery, as changes and deletions of subscriptions do, so that none can deadlock.
      const subscription = await this.subscriptions.lockSubscription(tx, delivery.subscriptionId);
      if (!subscription) return; // deleted in the meantime
      const isRecorded = await settle(deliveryAfter(attempt, delivery.attempts, this.clock.now()));
      if (isRecorded) await this.health.recordAttempt(tx, subscription, attempt);
    };
  }

  /** Undefined if the attempt was interrupted. Connects only to addresses that were checked, even if DNS changes meanwhile. */
  private async attemptDelivery(
    delivery: ClaimedDelivery,
    interrupted: AbortSignal,
  ): Promise<Attempt | undefined> {
    const { url, body } = delivery;
    try {
      const addresses = await this.receivers.resolveReceiver(url);
      return await callReceiver({ url, addresses, headers: this.headersOf(delivery), body }, interrupted);
    } catch (error) {
      if (interrupted.aborted) return undefined;
      const isRefused = error instanceof ReceiverRefused;
      const cause = isRefused ? { why: error.message } : { err: error };
      this.log.warn({ msg: 'a delivery was not sent', deliveryId: delivery.id, ...cause });
      return { responseStatus: null, failure: isRefused ? 'address-refused' : 'unsent', durationMs: 0 };
    }
  }

  private headersOf(delivery: ClaimedDelivery): Record<string, string> {
    const { id, body, subscriptionId } = delivery;
    const at = realNow(); // receivers compare the time with their own clocks
    const signatures = [delivery.secret, delivery.previousSecret]
      .filter((encrypted) => encrypted !== null)
      .map((encrypted) => new Webhook(this.encryption.decrypt(subscriptionId, encrypted)).sign(id, at, body));
    return {
      'content-type': 'application/json',
      'user-agent': 'stablecoin-platform-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  }
}

/** The delay after this many failed attempts, plus up to a tenth at random; undefined after the last attempt. */
export function retryDelayMs(attempts: number, random = Math.random()): number | undefined {
  return jitteredDelayMs(RETRY_DELAYS_MS, attempts, random);
}

type Outcome = Pick<WebhookDelivery, 'status' | 'dueAt' | 'settledAt' | keyof Attempt>;

/** The state of a delivery after its `attempts`-th attempt. */
function deliveryAfter(attempt: Attempt, attempts: number, now: Date): Outcome {
  const canRetry = attempt.failure !== null && attempt.responseStatus !== GONE;
  const delayMs = canRetry ? retryDelayMs(attempts) : undefined;
  if (delayMs !== undefined)
    return { ...attempt, status: 'pending', dueAt: new Date(now.getTime() + delayMs), settledAt: null };
  const status = attempt.failure === null ? 'delivered' : 'dead';
  return { ...attempt, status, dueAt: now, settledAt: now };
}
