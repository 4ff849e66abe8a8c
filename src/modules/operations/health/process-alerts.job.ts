import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../../database/database-clock.js';
import { Job } from '../../../jobs/job.decorator.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { AdminDirectoryService } from '../../identity/admins/admin-directory.service.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import type { NewAlert } from '../../core/alerts/alerts.types.js';

interface WatchedCondition {
  readonly alert: NewAlert;
  /** The alert is open while this returns true. */
  readonly applies: () => boolean;
}

/** Raises an alert about the process itself while a watched condition applies, and resolves it afterwards. */
@Injectable()
export class ProcessAlertsJob {
  private readonly conditions: readonly WatchedCondition[];
  /** Conditions whose alert may be open. At the start these are all, since an earlier process may have raised the alerts. */
  private readonly maybeOpen: Set<WatchedCondition>;

  constructor(
    private readonly alerts: AlertsService,
    databaseClock: DatabaseClock,
    admins: AdminDirectoryService,
  ) {
    this.conditions = [
      {
        alert: {
          kind: 'clock-apart',
          subject: { type: 'process', id: hostname() },
          message: 'The clock of a process differs from the clock of the database by more than a minute.',
          nextStep:
            'Correct the clock of the machine named in the subject. Until then its process is not ready and rejects writes. Resolve the alert of a machine that no longer exists.',
        },
        applies: () => !databaseClock.isInSync,
      },
      {
        alert: {
          kind: 'admins-file',
          subject: { type: 'setting', id: 'ADMINS_FILE' },
          message: 'ADMINS_FILE cannot be read or has an entry that is not valid.',
          nextStep:
            'Correct the file. The log states the fault. The last valid list is used for five minutes; afterwards admins without a valid entry lose access.',
        },
        applies: () => !admins.isReadable,
      },
    ];
    this.maybeOpen = new Set(this.conditions);
  }

  @Job({
    name: 'process-alerts',
    purpose: 'Raises alerts about the process itself (its clock, ADMINS_FILE), and resolves them',
    everySeconds: 5,
  })
  async updateAlerts(): Promise<void> {
    for (const condition of this.conditions) {
      const { kind, subject } = condition.alert;
      if (condition.applies()) {
        this.maybeOpen.add(condition);
        await this.alerts.raise(condition.alert);
      } else if (this.maybeOpen.has(condition)) {
        await this.alerts.resolveBySystem(kind, subject.id);
        this.maybeOpen.delete(condition);
      }
    }
  }
}

const OVERDUE = 'job-overdue';

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
    const reported = (await this.alerts.listOpenAlerts([OVERDUE])).map(({ subjectId }) => subjectId);
    for (const name of overdue.filter((job) => !reported.includes(job)))
      await this.alerts.raise({
        kind: OVERDUE,
        subject: { type: 'job', id: name },
        message: `The background job ${name} has not succeeded for three of its intervals.`,
        nextStep:
          'Read the warnings of Jobs and Leases in the log. If there are none, read the row of the job in the tables lease and job_run: ' +
          'somebody may have changed them.',
      });
    for (const name of reported.filter((job) => !overdue.includes(job)))
      await this.alerts.resolveBySystem(OVERDUE, name);
  }
}
