import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Queue, type ClaimedItem } from '../../../jobs/queue.decorator.js';
import { ANNOUNCEMENT_TABLE, AnnouncementsRepository } from './announcements.repository.js';
import { Announcement } from './entities/announcement.entity.js';
import { NotificationWritesService } from './notification-writes.service.js';

export const ANNOUNCEMENTS = 'announcements';

@Injectable()
export class AnnouncementsJob {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly announcements: AnnouncementsRepository,
    private readonly notifications: NotificationWritesService,
  ) {}

  /**
   * The repository also removes the batch from the waiting recipients, in the same transaction, so that each gets the announcement once,
   * even if the process dies. Returns undefined: the announcement is due again at once, until the last batch sets `delivered_at`.
   */
  @Queue<Announcement, ClaimedItem>({
    name: ANNOUNCEMENTS,
    purpose: 'Delivers announcements as notifications, a batch per transaction',
    everySeconds: 15,
    entity: Announcement,
    table: ANNOUNCEMENT_TABLE,
    maxRunning: 1,
    maxRunningPerOwner: 1,
  })
  deliverBatch({ id }: ClaimedItem): Promise<undefined> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const delivered = await this.announcements.deliverBatch(tx, id, this.clock.now());
      for (const notification of delivered) await this.notifications.emitCreated(tx, notification);
      return undefined;
    });
  }
}
