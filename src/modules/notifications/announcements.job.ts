import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { AnnouncementsRepository } from './announcements.repository.js';
import { NotificationWritesService } from './notification-writes.service.js';

const JOB_NAME = 'announcements';

/**
 * Delivers announcements as notifications, a batch per transaction. The same transaction removes the batch from the waiting
 * recipients, so that each recipient gets the announcement once, even if a process dies during the delivery.
 */
@Injectable()
export class AnnouncementsJob {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly announcements: AnnouncementsRepository,
    private readonly notifications: NotificationWritesService,
  ) {}

  /** Starts the job soon, without waiting for it. */
  startDelivery(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  @Job({
    name: JOB_NAME,
    purpose: 'Delivers announcements as notifications, a batch per transaction',
    everySeconds: 15,
  })
  async deliverAnnouncements(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.deliverBatch()));
  }

  /** Delivers the next batch of an announcement. Returns false if none is left, or only ones that other processes deliver. */
  private deliverBatch(): Promise<boolean> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const id = await this.announcements.lockUndelivered(tx);
      if (id === undefined) return false;
      const delivered = await this.announcements.deliverBatch(tx, id, this.clock.now());
      for (const notification of delivered) await this.notifications.emitCreated(tx, notification);
      return true;
    });
  }
}
