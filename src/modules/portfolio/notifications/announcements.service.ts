import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import { afterCommit } from '../../../database/statements.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { Queue, type ClaimedItem } from '../../../jobs/queue.decorator.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { ANNOUNCEMENT_TABLE, AnnouncementsRepository } from './announcements.repository.js';
import type { CreateAnnouncementRequest } from './dto/notifications.request.js';
import { Announcement } from './entities/notification.entity.js';
import { NotificationWritesService } from './notification-writes.service.js';

const ANNOUNCEMENTS = 'announcements';

type CreatedAnnouncement = Pick<
  Announcement,
  'id' | 'type' | 'title' | 'message' | 'audience' | 'recipients' | 'createdAt'
>;

@Injectable()
export class AnnouncementsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly announcements: AnnouncementsRepository,
    private readonly notifications: NotificationWritesService,
    private readonly jobs: Jobs,
    private readonly audit: AuditService,
  ) {}

  /** Stores the announcement with the users who receive it. A job writes their notifications in the background. */
  async createAnnouncement(
    request: CreateAnnouncementRequest,
    admin: AdminPrincipal,
  ): Promise<CreatedAnnouncement> {
    const { type, title, message, audience } = request;
    const content = { type, title, message, audience };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const id = newId();
      const createdAt = this.clock.now();
      const creation = { id, at: createdAt, by: admin.email };
      const recipients = await this.announcements.insertAnnouncement(tx, content, creation);
      await this.audit.record(tx, admin, {
        action: 'announcement.create',
        subject: { type: 'announcement', id },
        after: { ...content, recipients },
      });
      afterCommit(tx, () => this.jobs.get(ANNOUNCEMENTS).wake());
      return { id, ...content, recipients, createdAt };
    });
  }

  /**
   * Delivers the next batch. The same transaction removes the batch from the waiting recipients, so that each of them gets the
   * announcement once, even if the process dies. Returns undefined: the announcement is due again at once, until the last batch sets `delivered_at`.
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
