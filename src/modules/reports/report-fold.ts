import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Job } from '../../jobs/job.decorator.js';

@Injectable()
export class ReportFold {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** No figure depends on it. */
  @Job({
    name: 'report-fold',
    purpose: 'Folds what was appended to the sums of reports and lists, so that reading them stays cheap',
    everySeconds: 30,
    exclusive: true,
  })
  async fold(): Promise<void> {
    await this.unitOfWork.runInNewTransaction((tx) =>
      tx.query('select compact_report_totals(), compact_list_totals()'),
    );
  }
}
