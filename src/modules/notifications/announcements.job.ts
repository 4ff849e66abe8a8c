import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import type { ClaimedItem, WorkQueue } from '../../jobs/work-queue.js';
import { WorkQueues } from '../../jobs/work-queues.js';
import { ANNOUNCEMENT_TABLE, AnnouncementsRepository } from './announcements.repository.js';
import { Announcement } from './entities/announcement.entity.js';
import { NotificationWritesService } from './notification-writes.service.js';

const JOB_NAME = 'announcements';

/**
 * Delivers announcements as notifications, a batch per attempt. The transaction of a batch removes it from the waiting recipients,
 * so that each recipient gets the announcement once, even if a process dies during the delivery.
 */
@Injectable()
export class AnnouncementsJob {
  readonly queue: WorkQueue<Announcement, ClaimedItem>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly announcements: AnnouncementsRepository,
    private readonly notifications: NotificationWritesService,
    queues: WorkQueues,
  ) {
    this.queue = queues.create<Announcement, ClaimedItem>({
      job: JOB_NAME,
      entity: Announcement,
      table: ANNOUNCEMENT_TABLE,
      maxRunning: 1,
      maxRunningPerOwner: 1,
      attempt: async ({ id }) => {
        await this.deliverBatch(id);
        return undefined; // the announcement is due again for its next batch, if it has one
      },
    });
  }

  @Job({
    name: JOB_NAME,
    purpose: 'Delivers announcements as notifications, a batch per transaction',
    everySeconds: 15,
  })
  deliverAnnouncements(stopping: AbortSignal): Promise<void> {
    return this.queue.startDue(stopping);
  }

  private deliverBatch(id: string): Promise<void> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const delivered = await this.announcements.deliverBatch(tx, id, this.clock.now());
      for (const notification of delivered) await this.notifications.emitCreated(tx, notification);
    });
  }
}
