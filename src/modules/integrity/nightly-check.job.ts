import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { IntegrityRunsRepository } from './integrity-runs.repository.js';
import { IntegrityService } from './integrity.service.js';

/** Runs an integrity check once a day on one replica: after midnight UTC, or at the first start of the day. */
@Injectable()
export class NightlyCheckJob {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly runs: IntegrityRunsRepository,
    private readonly clock: Clock,
  ) {}

  /** Does nothing if the nightly check of today is stored already. */
  @Job({
    name: 'nightly-check',
    purpose:
      'Checks the invariants of all money once a day; a new violation that concerns users’ money pauses withdrawals',
    dailyAt: '00:00',
    atStart: true,
    exclusive: true,
  })
  async checkToday(): Promise<void> {
    const today = this.clock.today();
    if (await this.runs.hasNightlyRun(today)) return;
    const { runId } = await this.integrity.check();
    await this.runs.markNightlyRun(runId, today);
  }
}
