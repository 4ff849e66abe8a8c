import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';

const KEPT_MS = 30 * 24 * 3_600_000;
const ROWS_AT_ONCE = 5000; // deleting never holds up anybody for long

/** No delivery is attempted for as long as thirty days. */
@Injectable()
export class OldDeliveries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  @Job({
    name: 'old-webhook-deliveries',
    purpose: 'Deletes deliveries to users’ webhooks that are older than thirty days',
    everySeconds: 600,
    exclusive: true,
  })
  async forget(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    let deleted: number;
    do {
      [, deleted] = await this.dataSource.query<[unknown, number]>(
        `delete from webhook_delivery where id in
           (select id from webhook_delivery where created_at < $1 order by created_at limit ${ROWS_AT_ONCE})`,
        [before],
      );
    } while (deleted === ROWS_AT_ONCE && !stopping.aborted);
  }
}
