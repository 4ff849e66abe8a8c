import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Attempts } from '../../jobs/attempts.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import type { ClaimedDelivery } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';

const JOB_NAME = 'webhook-deliveries';
const MAX_CONCURRENT = 64;
const MAX_CONCURRENT_PER_SUBSCRIPTION = 2; // so that a slow receiver does not delay others

/**
 * Sends due deliveries, on every replica, at least once: if a process dies between sending a delivery and recording the
 * result, another process sends it again with the same webhook-id. The order is not guaranteed.
 */
@Injectable()
export class DeliveriesJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('DeliveriesJob');
  private readonly attempts: Attempts<ClaimedDelivery>;

  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly jobs: Jobs,
  ) {
    this.attempts = new Attempts(MAX_CONCURRENT, () => jobs.get(JOB_NAME));
  }

  /**
   * The scheduler has stopped the job, which interrupts the attempts. Waits until each has recorded its result or released its
   * delivery.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await this.attempts.allEnded();
  }

  /** Starts a run soon, without waiting for it. */
  wakeUp(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  /** Sends all due deliveries and waits for their results. For tests. */
  async drain(): Promise<void> {
    await this.attempts.drain();
  }

  /** Does not wait for the attempts that it starts; each wakes the job at its end. */
  @Job({
    name: JOB_NAME,
    purpose: 'Sends the deliveries to users’ webhooks that are due',
    everySeconds: 2,
  })
  async startDueDeliveries(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.attempts.free > 0) {
      const claimed = await this.deliveries.claimDue(this.busySubscriptions(), this.attempts.free);
      if (claimed.length === 0) return;
      for (const delivery of claimed)
        this.attempts.start(delivery, (started) => this.deliver(started, stopping));
    }
  }

  @Job({
    name: 'old-webhook-deliveries',
    purpose: 'Deletes deliveries to users’ webhooks that are older than thirty days',
    everySeconds: 600,
    exclusive: true,
  })
  async deleteOldDeliveries(stopping: AbortSignal): Promise<void> {
    await this.deliveries.deleteOldDeliveries(stopping);
  }

  /** Subscriptions with as many attempts of this process as are allowed at once. */
  private busySubscriptions(): string[] {
    const counts = new Map<string, number>();
    for (const { subscriptionId } of this.attempts.items)
      counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_CONCURRENT_PER_SUBSCRIPTION).map(([id]) => id);
  }

  private async deliver(delivery: ClaimedDelivery, stopping: AbortSignal): Promise<void> {
    await this.deliveries.deliver(delivery, stopping).catch((error: unknown) =>
      this.log.warn({
        msg: 'the result of a delivery was not recorded',
        deliveryId: delivery.id,
        err: error,
      }),
    );
  }
}
