import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { Jobs } from '../../jobs/jobs.service.js';
import { Clock } from '../../common/clock.js';
import { newId } from '../../common/ids.js';

const JOB_NAME = 'announcements';
const BATCH = 500;

const TAKE = `
  select id from announcement where delivered_at is null order by created_at, id limit 1 for update skip locked`;

// Two kinds of recipients get none: of a promotion, users who have switched `push` off since, and users erased since.
const DELIVER = `
  insert into notification
    (id, user_id, type, title, message, priority, category, action_url, metadata, created_at, told_once)
  select fresh.id, recipient.id, told.type, told.title, told.message,
         case told.type when 'promotion' then 'low' else 'normal' end, 'platform', null,
         jsonb_build_object('announcementId', told.id), told.created_at, 'announcement ' || told.id
    from announcement as told
    join unnest(told.waiting[:${BATCH}], $2::uuid[]) as fresh(user_id, id) on true
    join platform_user as recipient on recipient.id = fresh.user_id
   where told.id = $1 and (told.type <> 'promotion' or recipient.notify_push)
  on conflict (user_id, told_once) where told_once is not null do nothing`;

const ADVANCE = `
  update announcement
     set waiting = waiting[${BATCH + 1}:],
         delivered_at = case when cardinality(waiting) <= ${BATCH} then $2::timestamptz end
   where id = $1`;

/**
 * Delivers announcements as notifications, a batch per transaction. The same transaction removes the batch from the ids
 * that wait, so that every recipient gets the announcement once, even if a process dies during the delivery.
 */
@Injectable()
export class AnnouncementDelivery {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
  ) {}

  /** Begins a delivery in the background. */
  kick(): void {
    this.jobs.get(JOB_NAME).wake();
  }

  /** Leaves out what another process is delivering. */
  @Job({
    name: JOB_NAME,
    purpose: 'Delivers announcements as notifications, a batch per transaction',
    everySeconds: 15,
  })
  async deliverAll(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.deliverBatch()));
  }

  private deliverBatch(): Promise<boolean> {
    return this.unitOfWork.runInNewTransaction(async (tx) => {
      const [announcement] = await tx.query<{ id: string }[]>(TAKE);
      if (!announcement) return false;
      const ids = Array.from({ length: BATCH }, newId);
      await tx.query(DELIVER, [announcement.id, ids]);
      await tx.query(ADVANCE, [announcement.id, this.clock.now()]);
      return true;
    });
  }
}
