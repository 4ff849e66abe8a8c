import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { addDays } from '../../../common/days.js';
import { Job } from '../../../jobs/job.decorator.js';
import { DayClosingService } from './day-closing.service.js';
import { LiabilitiesRepository } from './liabilities.repository.js';

/** The trees whose leaves one run of `deleteOldLeaves` deletes at most. */
const MAX_TREES_PER_RUN = 100;

@Injectable()
export class LiabilitiesJob {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
    private readonly closing: DayClosingService,
    private readonly repository: LiabilitiesRepository,
  ) {}

  @Job({
    name: 'liabilities-closing',
    purpose:
      'Closes the days that are over: builds their trees of liabilities and appends the roots to the log',
    everySeconds: 10,
    exclusive: true,
  })
  async closeDueDays(stopping: AbortSignal): Promise<void> {
    await this.closing.closeDueDays(stopping);
  }

  @Job({
    name: 'old-liability-leaves',
    purpose: 'Deletes the leaves of proofs of liabilities that are older than PROOF_RETENTION_DAYS',
    everySeconds: 600,
    exclusive: true,
  })
  async deleteOldLeaves(stopping: AbortSignal): Promise<void> {
    const firstKept = addDays(this.clock.today(), -this.config.PROOF_RETENTION_DAYS);
    for (const id of await this.repository.findTreesWithLeavesBefore(firstKept, MAX_TREES_PER_RUN)) {
      if (stopping.aborted) return;
      await this.unitOfWork.runInNewTransaction((tx) => this.repository.deleteLeaves(tx, id));
    }
  }
}
