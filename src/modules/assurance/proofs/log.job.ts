import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import { DELETE_BATCH_ROWS } from '../../../jobs/delete-batch.js';
import { Job } from '../../../jobs/job.decorator.js';
import { LogRepository } from './log.repository.js';
import { LogRestoresService } from './log-restores.service.js';
import { SealingService } from './sealing.service.js';

@Injectable()
export class LogJob {
  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly sealing: SealingService,
    private readonly restores: LogRestoresService,
    private readonly repository: LogRepository,
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
  async deleteOldCheckpoints(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - this.config.PROOF_RETENTION_DAYS * DAY_MS);
    const deleteNext = () => this.repository.deleteCheckpointsBefore(before);
    while ((await deleteNext()) === DELETE_BATCH_ROWS && !stopping.aborted);
  }
}
