import { Injectable } from '@nestjs/common';
import { Job } from '../../../jobs/job.decorator.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';

const KIND = 'job-overdue';

/** Raises an alert about each overdue job, and resolves it after the next success of the job. */
@Injectable()
export class OverdueJobsJob {
  constructor(
    private readonly jobs: Jobs,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'overdue-jobs',
    purpose:
      'Raises alerts about jobs that have not succeeded for three of their intervals, and resolves them',
    everySeconds: 60,
  })
  async updateAlerts(): Promise<void> {
    const overdue = await this.jobs.listOverdue();
    const reported = (await this.alerts.listOpenAlerts([KIND])).map(({ subjectId }) => subjectId);
    for (const name of overdue.filter((job) => !reported.includes(job)))
      await this.alerts.raise({
        kind: KIND,
        subject: { type: 'job', id: name },
        message: `The background job ${name} has not succeeded for three of its intervals.`,
        nextStep:
          'Read the warnings of Jobs and Leases in the log. If there are none, read the row of the job in the tables lease and job_run: ' +
          'somebody may have changed them.',
      });
    for (const name of reported.filter((job) => !overdue.includes(job)))
      await this.alerts.resolveBySystem(KIND, name);
  }
}
