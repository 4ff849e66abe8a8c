import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { ScreeningService } from './screening.service.js';

@Injectable()
export class ScreeningJob {
  constructor(private readonly screening: ScreeningService) {}

  @Job({
    name: 'screening',
    purpose:
      'Asks the screening provider about new users, users with a changed e-mail address, new addresses of address books and the addresses of withdrawals that an operator has opened',
    everySeconds: 1,
  })
  async screenDueSubjects(stopping: AbortSignal): Promise<void> {
    await this.screening.screenDueSubjects(stopping);
  }
}
