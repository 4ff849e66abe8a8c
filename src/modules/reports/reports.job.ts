import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { ReportsRepository } from './reports.repository.js';

/** The limit of changes of each kind in one transaction; a longer transaction would delay requests and live events. */
const BATCH_ROWS = 100;
/** The limit of batches in one run; the next run continues. */
const MAX_BATCHES = 600;
const PAUSE_MS = 20;

@Injectable()
export class ReportsJob {
  constructor(private readonly reports: ReportsRepository) {}

  @Job({
    name: 'report-fold',
    purpose: 'Adds the appended changes to the sums of reports and lists, so that reading them stays cheap',
    everySeconds: 30,
    exclusive: true,
  })
  async compactSums(stopping: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !stopping.aborted; batch++) {
      if (!(await this.reports.compactSums(BATCH_ROWS))) return;
      await sleep(PAUSE_MS);
    }
  }
}
