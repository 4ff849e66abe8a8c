import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/ids.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { QueueTable } from '../../../jobs/claim-statement.js';
import { isInvestor } from '../../investing/investments/investment-values.repository.js';
import { USERS } from '../../identity/users/users.repository.js';
import type { CreateAnnouncementRequest } from './dto/notifications.request.js';
import { Announcement, type Notification } from './entities/notification.entity.js';

const BATCH_RECIPIENTS = 500;

// The recipients are stored with the announcement: users who register later do not get it. $2: type, $5: audience.
const INSERT = `
  with chosen as (
    select coalesce(array_agg(id order by id), '{}') as ids from ${USERS} as account
     where ($2 <> 'promotion' or notify_push)
       and ($5 <> 'investors' or ${isInvestor('account.id')}))
  insert into announcement
    (id, type, title, message, audience, created_at, created_by, recipients, waiting, delivered_at)
  select $1::uuid, $2, $3, $4, $5, $6::timestamptz, $7, cardinality(ids), ids,
         case when cardinality(ids) = 0 then $6::timestamptz end
    from chosen
  returning recipients`;

// Users who were erased meanwhile get no notification, nor do those who have switched `push` off since, if this is a promotion.
// $2: new ids, at least one for each recipient of the batch; ids without a recipient join no user. Reads a table of the
// module users.
const DELIVER = `
  insert into notification
    (id, user_id, type, title, message, priority, category, action_url, metadata, created_at, told_once)
  select fresh.id, recipient.id, sent.type, sent.title, sent.message,
         case sent.type when 'promotion' then 'low' else 'normal' end, 'platform', null,
         jsonb_build_object('announcementId', sent.id), sent.created_at, 'announcement ' || sent.id
    from announcement as sent
    join unnest(sent.waiting[:${BATCH_RECIPIENTS}], $2::uuid[]) as fresh(user_id, id) on true
    join platform_user as recipient on recipient.id = fresh.user_id
   where sent.id = $1 and (sent.type <> 'promotion' or recipient.notify_push)
  on conflict (user_id, told_once) where told_once is not null do nothing
  returning id, user_id as "userId", type, title, message, priority, priority_rank as "priorityRank", category,
            action_url as "actionUrl", metadata, created_at as "createdAt", read_at as "readAt", told_once as "onceKey", kind, repeats`;

const REMOVE_BATCH = `
  update announcement
     set waiting = waiting[${BATCH_RECIPIENTS + 1}:],
         delivered_at = case when cardinality(waiting) <= ${BATCH_RECIPIENTS} then $2::timestamptz end
   where id = $1`;

/** `owner`: admins take turns, so that the announcements of one do not delay those of another. */
export const ANNOUNCEMENT_TABLE: QueueTable = {
  name: 'announcement',
  waiting: 'delivered_at is null',
  owner: { sql: 'created_by', type: 'text' },
  lease: { column: 'due_at', seconds: 60 },
  columns: 'type from item',
};

@Injectable()
export class AnnouncementsRepository {
  /** Stores the announcement with the ids of its recipients and returns their number. */
  async insertAnnouncement(
    tx: Tx,
    { type, title, message, audience }: CreateAnnouncementRequest,
    { id, at, by }: { id: string; at: Date; by: string },
  ): Promise<number> {
    const values = [id, type, title, message, audience, at, by];
    const [row] = await tx.query<{ recipients: number }[]>(INSERT, values);
    return row?.recipients ?? 0;
  }

  /** Inserts and returns the notifications of the next batch of recipients, and removes the batch from `waiting`. */
  async deliverBatch(tx: Tx, id: string, at: Date): Promise<Notification[]> {
    // Locked, because a process whose lease has expired may deliver the same batch at the same time.
    await tx.findOne(Announcement, {
      select: { id: true },
      where: { id },
      lock: { mode: 'pessimistic_write' },
    });
    const ids = Array.from({ length: BATCH_RECIPIENTS }, newId);
    const delivered = await tx.query<Notification[]>(DELIVER, [id, ids]);
    await tx.query(REMOVE_BATCH, [id, at]);
    return delivered;
  }
}
