import { Injectable } from '@nestjs/common';
import { Job } from '../jobs/job.decorator.js';
import { TotalRuns } from './total-runs.js';

@Injectable()
export class TotalsJob {
  constructor(private readonly runs: TotalRuns) {}

  @Job({
    name: 'totals',
    purpose: 'Recomputes the sums of admins’ lists and of reports in the hours whose records have changed',
    everySeconds: 1,
    exclusive: true,
  })
  async recomputeMarked(stopping: AbortSignal): Promise<void> {
    await this.runs.runDue(stopping);
  }
}
