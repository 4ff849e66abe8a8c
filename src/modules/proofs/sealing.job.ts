import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { LogRestoresService } from './log-restores.service.js';
import { SealingService } from './sealing.service.js';

@Injectable()
export class SealingJob {
  constructor(
    private readonly sealing: SealingService,
    private readonly restores: LogRestoresService,
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
}
