import { Injectable } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import { EndedSealsRepository } from './ended-seals.repository.js';

/** A seal outlives its credential by a day: approvals expire by domain time, which tests and the sandbox move. */
const KEPT_MS = DAY_MS;

@Injectable()
export class EndedSealsJob {
  constructor(
    private readonly seals: EndedSealsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * An ended seal makes a copy of its row worthless until the row has expired by itself. While the clock of the process is wrong,
   * nothing is deleted, because it could be too early.
   */
  @Job({
    name: 'ended-seals',
    purpose: 'Deletes the seals of ended credentials that would have expired by now anyway',
    everySeconds: 3600,
  })
  async deleteExpiredSeals(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isInSync) return;
    const until = new Date(realNow().getTime() - KEPT_MS);
    while ((await this.seals.deleteExpiredSeals(until)) === DELETE_BATCH_ROWS && !stopping.aborted);
  }
}
