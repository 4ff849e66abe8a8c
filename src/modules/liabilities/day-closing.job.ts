import { Injectable } from '@nestjs/common';
import { Job } from '../../jobs/job.decorator.js';
import { DayClosingService } from './day-closing.service.js';

@Injectable()
export class DayClosingJob {
  constructor(private readonly closing: DayClosingService) {}

  @Job({
    name: 'liabilities-closing',
    purpose: 'Closes the days that are over: builds their proofs of liabilities and appends these to the log',
    everySeconds: 10,
    exclusive: true,
  })
  async closeDueDays(stopping: AbortSignal): Promise<void> {
    await this.closing.closeDueDays(stopping);
  }
}
