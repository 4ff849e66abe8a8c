import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { Clock } from '../../common/clock.js';
import { IntegrityRuns } from './integrity-runs.js';
import { IntegrityService } from './integrity.service.js';

/** Checks all money once a day, on one replica: in the background of the first start of a UTC day, or after its midnight. */
@Injectable()
export class NightlyCheck {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly runs: IntegrityRuns,
    private readonly clock: Clock,
  ) {}

  /** Does nothing if another process has checked this day already. */
  @Job({
    name: 'nightly-check',
    purpose: 'Checks that all money is where it should be, once for each day; a violation pauses withdrawals',
    dailyAt: '00:00',
    atStart: true,
    exclusive: true,
  })
  async checkToday(): Promise<void> {
    const today = this.clock.today();
    if (await this.runs.hasNight(today)) return;
    const { runId } = await this.integrity.check();
    await this.runs.nameNight(runId, today);
  }
}
