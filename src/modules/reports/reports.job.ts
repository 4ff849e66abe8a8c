import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';
import { ReportsRepository } from './reports.repository.js';

@Injectable()
export class ReportsJob {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly reports: ReportsRepository,
  ) {}

  @Job({
    name: 'report-fold',
    purpose: 'Folds what was appended to the sums of reports and lists, so that reading them stays cheap',
    everySeconds: 30,
    exclusive: true,
  })
  async compactSums(): Promise<void> {
    await this.unitOfWork.runInNewTransaction((tx) => this.reports.compactSums(tx));
  }
}
