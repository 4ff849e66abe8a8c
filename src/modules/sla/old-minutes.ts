import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Job } from '../../jobs/job.decorator.js';
import { realNow } from '../../common/clock.js';

const KEPT_DAYS = 90;

/** Minutes are kept for ninety days: three times what a report looks at. */
@Injectable()
export class OldMinutes {
  constructor(private readonly dataSource: DataSource) {}

  @Job({
    name: 'sla-minutes',
    purpose: 'Deletes the minutes of service levels that are older than ninety days',
    everySeconds: 3600,
    exclusive: true,
  })
  forgetOld(): Promise<void> {
    return this.forget();
  }

  async forget(now = realNow()): Promise<void> {
    await this.dataSource.query(
      'delete from sla_minute where minute < $1::timestamptz - make_interval(days => $2)',
      [now, KEPT_DAYS],
    );
  }
}
