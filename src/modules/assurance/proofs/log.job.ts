import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { DayCheckpointsService } from './day-checkpoints.service.js';
import { LogRestoresService } from './log-restores.service.js';
import { SealingService } from './sealing.service.js';

@Injectable()
export class LogJob {
  constructor(
    private readonly sealing: SealingService,
    private readonly restores: LogRestoresService,
    private readonly checkpoints: DayCheckpointsService,
  ) {}

  @Job({
    name: 'log-sealing',
    purpose: 'Takes committed ledger transactions into the transparency log and signs a checkpoint',
    everySeconds: 'LOG_SEAL_SECONDS',
    atStart: true,
    exclusive: true,
  })
  async sealCommittedTransactions(stopping: AbortSignal): Promise<void> {
    await this.sealing.sealCommittedTransactions(stopping);
    await this.restores.raiseAlertIfRestored();
  }

  @Job({
    name: 'log-retention',
    purpose: 'Deletes checkpoints that are older than PROOF_RETENTION_DAYS, except the last one of each day',
    everySeconds: 3600,
    exclusive: true,
  })
  deleteOldCheckpoints(stopping: AbortSignal): Promise<void> {
    return this.checkpoints.deleteOldCheckpoints(stopping);
  }
}
