import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import type { ClaimedDelivery } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';

const JOB_NAME = 'webhook-deliveries';
const MAX_CONCURRENT = 64;
const MAX_CONCURRENT_PER_SUBSCRIPTION = 2; // so that a slow receiver does not delay others

/**
 * Sends due deliveries, on every replica, at least once: if a process dies between sending a delivery and recording the
 * result, another one sends it again with the same webhook-id. The order is not guaranteed.
 */
@Injectable()
export class DeliveriesJob implements BeforeApplicationShutdown {
  private readonly log = new Logger('DeliveriesJob');
  private readonly running = new Map<string, { subscriptionId: string; end: Promise<void> }>();

  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly jobs: Jobs,
  ) {}

  /** By now the end of the job has interrupted the attempts, which release their deliveries to other processes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.allEnded();
  }

  /** Starts a run soon, without waiting for it. */
  wakeUp(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  /** Sends all due deliveries and waits for their results. For tests. */
  async drain(): Promise<void> {
    const job = this.jobs.get(JOB_NAME);
    do {
      await job.runOnce();
      await this.allEnded();
      await job.idle(); // each finished delivery wakes the job
    } while (this.running.size > 0);
  }

  /** Does not wait for the attempts that it starts; each wakes the job at its end. */
  @Job({
    name: JOB_NAME,
    purpose: 'Sends the deliveries to users’ webhooks that are due',
    everySeconds: 2,
  })
  async startDueDeliveries(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.running.size < MAX_CONCURRENT) {
      const limit = MAX_CONCURRENT - this.running.size;
      const claimed = await this.deliveries.claimDue(this.busySubscriptions(), limit);
      if (claimed.length === 0) return;
      for (const delivery of claimed) this.startDelivery(delivery, stopping);
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

  private busySubscriptions(): string[] {
    const counts = new Map<string, number>();
    for (const { subscriptionId } of this.running.values())
      counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= MAX_CONCURRENT_PER_SUBSCRIPTION).map(([id]) => id);
  }

  private startDelivery(delivery: ClaimedDelivery, stopping: AbortSignal): void {
    const end = this.deliveries
      .deliver(delivery, stopping)
      .catch((error: unknown) =>
        this.log.warn({
          msg: 'the result of a delivery was not recorded',
          deliveryId: delivery.id,
          err: error,
        }),
      )
      .finally(() => {
        this.running.delete(delivery.id);
        this.wakeUp();
      });
    this.running.set(delivery.id, { subscriptionId: delivery.subscriptionId, end });
  }

  private async allEnded(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ end }) => end));
  }
}
