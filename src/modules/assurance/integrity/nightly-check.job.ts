import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { TotalChecks } from '../../../lists/total-checks.js';
import { Clock } from '../../../common/clock.js';
import { IntegrityRunsRepository } from './integrity-runs.repository.js';
import { IntegrityService } from './integrity.service.js';

/** Runs an integrity check once a day on one replica: after midnight UTC, or at the first start of the day. */
@Injectable()
export class NightlyCheckJob {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly runs: IntegrityRunsRepository,
    private readonly totals: TotalChecks,
    private readonly clock: Clock,
  ) {}

  /** Does nothing if the nightly check of today is stored already. A check that `stopping` ends is repeated by another process. */
  @Job({
    name: 'nightly-check',
    purpose:
      'Checks the invariants of all money once a day; a new violation that concerns users’ money pauses withdrawals. Compares the sums of lists and reports with the rows, and marks those that differ',
    dailyAt: '00:00',
    atStart: true,
    exclusive: true,
  })
  async checkToday(stopping: AbortSignal): Promise<void> {
    const today = this.clock.today();
    if (await this.runs.hasNightlyRun(today)) return;
    const check = await this.integrity.check(stopping).catch((error: unknown) => {
      if (!stopping.aborted) throw error;
    });
    if (!check) return;
    await this.totals.compareWithRows(stopping);
    await this.runs.markNightlyRun(check.runId, today);
  }
}
