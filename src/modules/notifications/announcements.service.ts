import { Injectable } from '@nestjs/common';
import { afterCommit, UnitOfWork } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';
import { AuditService } from '../audit/audit.service.js';
import { AnnouncementDelivery } from './announcement-delivery.js';
import type { Announcement } from './announcement.types.js';

/** The recipients are fixed with the announcement: users who come later do not get it. */
const INSERT = `
  with chosen as (
    select coalesce(array_agg(id order by id), '{}') as ids from platform_user
     where ($2 <> 'promotion' or notify_push)
       and ($5 <> 'investors' or exists (
         select from investment where user_id = platform_user.id and status in ('pending', 'active'))))
  insert into announcement
    (id, type, title, message, audience, created_at, created_by, recipients, waiting, delivered_at)
  select $1::uuid, $2, $3, $4, $5, $6::timestamptz, $7, cardinality(ids), ids,
         case when cardinality(ids) = 0 then $6::timestamptz end
    from chosen
  returning recipients`;

/** Stores announcements of admins; `AnnouncementDelivery` delivers them. */
@Injectable()
export class AnnouncementsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly delivery: AnnouncementDelivery,
    private readonly audit: AuditService,
  ) {}

  async announce(
    wish: Pick<Announcement, 'type' | 'title' | 'message' | 'audience'>,
    admin: AdminPrincipal,
  ): Promise<Announcement> {
    return this.unitOfWork.runInTransaction(async (tx) => {
      const [id, createdAt] = [newId(), this.clock.now()];
      const { type, title, message, audience } = wish;
      const [row] = await tx.query<{ recipients: number }[]>(INSERT, [
        id,
        type,
        title,
        message,
        audience,
        createdAt,
        admin.email,
      ]);
      const recipients = row?.recipients ?? 0;
      await this.audit.record(tx, admin, {
        action: 'announcement.create',
        subject: { type: 'announcement', id },
        after: { type, title, message, audience, recipients },
      });
      afterCommit(tx, () => this.delivery.kick());
      return { id, type, title, message, audience, recipients, createdAt };
    });
  }
}
