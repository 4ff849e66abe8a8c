import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { DayCheckpointsService } from './day-checkpoints.service.js';

@Injectable()
export class CheckpointRetentionJob {
  constructor(private readonly checkpoints: DayCheckpointsService) {}

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
