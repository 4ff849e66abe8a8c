import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { ReportsRepository } from './reports.repository.js';

/** At most this many changes of each kind in one transaction: a longer one would delay requests. */
const BATCH_ROWS = 500;
/** Of one run; the next run continues. */
const MAX_BATCHES = 200;
const PAUSE_MS = 20;

@Injectable()
export class ReportsJob {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly reports: ReportsRepository,
  ) {}

  @Job({
    name: 'report-fold',
    purpose: 'Folds what was appended to the sums of reports and lists, so that reading them stays cheap',
    everySeconds: 30,
    exclusive: true,
  })
  async compactSums(stopping: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !stopping.aborted; batch++) {
      const mayRemain = await this.unitOfWork.runInNewTransaction((tx) =>
        this.reports.compactSums(tx, BATCH_ROWS),
      );
      if (!mayRemain) return;
      await sleep(PAUSE_MS);
    }
  }
}
