import { Injectable, Logger } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { DatabaseClock } from '../../database/database-clock.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock, realNow } from '../../common/clock.js';
import { DAY_MS } from '../../common/durations.js';
import type { NotificationContent } from '../notifications/notifications.types.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { DeliveriesRepository, type ClaimedDelivery } from './deliveries.repository.js';
import { deliveryAfter, subscriptionAfter } from './domain/delivery-outcome.js';
import type { WebhookSubscription } from './entities/webhook-subscription.entity.js';
import { callReceiver } from './receiver.client.js';
import { ReceiverRefused, ReceiversService } from './receivers.service.js';
import { SecretEncryptionService } from './secret-encryption.service.js';
import { SubscriptionsRepository } from './subscriptions.repository.js';
import type { Attempt } from './subscriptions.types.js';

const LEASE_MS = 60_000; // longer than an attempt; afterwards another process may claim the delivery
const RETENTION_MS = 30 * DAY_MS; // longer than the retries of a delivery
const DELETE_BATCH_ROWS = 5000;

/** Makes the attempts to deliver events. No row is locked during an attempt; a claim is a lease of a minute. */
@Injectable()
export class DeliveriesService {
  private readonly log = new Logger('Deliveries');

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly notifications: NotificationsService,
    private readonly receivers: ReceiversService,
    private readonly encryption: SecretEncryptionService,
  ) {}

  /**
   * Claims at most one due delivery per subscription. Claims none while the process's clock is wrong, because the clock
   * decides what is due.
   */
  async claimDue(excludedSubscriptions: readonly string[], limit: number): Promise<ClaimedDelivery[]> {
    if (!this.databaseClock.isRight) return [];
    const now = this.clock.now();
    const leaseEnd = new Date(now.getTime() + LEASE_MS);
    return this.deliveries.claimDueDeliveries(now, leaseEnd, { excluded: excludedSubscriptions, limit });
  }

  /** Makes one attempt and records its result. An interrupted attempt does not count. */
  async deliver(delivery: ClaimedDelivery, interrupted: AbortSignal): Promise<void> {
    const attempt = await this.attemptDelivery(delivery, interrupted);
    if (attempt) await this.recordAttempt(delivery, attempt);
    else await this.deliveries.releaseDelivery(delivery, this.clock.now());
  }

  async deleteOldDeliveries(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - RETENTION_MS);
    let deleted: number;
    do {
      deleted = await this.deliveries.deleteDeliveriesBefore(before, DELETE_BATCH_ROWS);
    } while (deleted === DELETE_BATCH_ROWS && !stopping.aborted);
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

  /** Locks the subscription before the delivery, as changes and deletions of subscriptions do, so that none can deadlock. */
  private async recordAttempt(delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      const subscription = await this.subscriptions.lockSubscription(tx, delivery.subscriptionId);
      if (!subscription) return; // deleted in the meantime
      const changes = deliveryAfter(attempt, delivery.attempts, this.clock.now());
      const isRecorded = await this.deliveries.updateClaimedDelivery(tx, delivery, changes);
      if (isRecorded) await this.updateHealth(tx, subscription, attempt);
    });
  }

  /** Records the first failure since a success, and disables a subscription that is gone or has failed for too long. */
  private async updateHealth(tx: Tx, before: WebhookSubscription, attempt: Attempt): Promise<void> {
    const now = this.clock.now();
    const { failingSince, disabledReason } = subscriptionAfter(attempt, before, now);
    if (disabledReason === null || before.status === 'disabled') {
      if (failingSince?.getTime() !== before.failingSince?.getTime())
        await this.subscriptions.updateSubscription(tx, before.id, { failingSince });
      return;
    }
    const changes = { status: 'disabled', disabledReason, failingSince, updatedAt: now } as const;
    await this.subscriptions.updateSubscription(tx, before.id, changes);
    await this.notifications.insertNotification(
      tx,
      before.userId,
      now,
      disabledNotification(before, disabledReason),
    );
  }
}

function disabledNotification(
  { id, url }: WebhookSubscription,
  reason: 'gone' | 'failing',
): NotificationContent {
  const cause =
    reason === 'gone'
      ? 'it has answered 410 Gone.'
      : 'it has not accepted an event for three days. Undelivered events are sent when you activate the webhook again.';
  return {
    type: 'system',
    category: 'platform',
    priority: 'high',
    title: 'Webhook disabled',
    message: `No more events are sent to ${new URL(url).host}: ${cause}`,
    actionUrl: '/settings/webhooks',
    metadata: { webhookId: id, reason },
  };
}
