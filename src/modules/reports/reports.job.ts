import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { ReportsRepository } from './reports.repository.js';

/** Changes of each kind added in one transaction, which takes about ten milliseconds, so that requests do not wait for the processor. */
const STEP = 500;
/** Steps of one run; the next run continues. */
const STEPS = 200;
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
    for (let step = 0; step < STEPS && !stopping.aborted; step++) {
      const mayRemain = await this.unitOfWork.runInNewTransaction((tx) => this.reports.compactSums(tx, STEP));
      if (!mayRemain) return;
      await sleep(PAUSE_MS);
    }
  }
}
