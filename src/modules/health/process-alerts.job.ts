import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../../database/database-clock.js';
import { Job } from '../../jobs/job.decorator.js';
import { AdminDirectoryService } from '../admins/admin-directory.service.js';
import { AlertsService } from '../alerts/alerts.service.js';
import type { NewAlert } from '../alerts/alerts.types.js';

interface Condition {
  readonly alert: NewAlert;
  readonly isOver: () => boolean;
}

/** Raises alerts about the process itself, and settles each when its condition is over. */
@Injectable()
export class ProcessAlertsJob {
  private readonly conditions: readonly Condition[];
  /** Conditions whose alert may be open. At the start that is all, since an earlier process may have raised alerts. */
  private readonly maybeOpen: Set<Condition>;

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
          nextStep: 'Set the clock of that machine. Until then the process is not ready and writes nothing.',
        },
        isOver: () => databaseClock.isRight,
      },
      {
        alert: {
          kind: 'admins-file',
          subject: { type: 'setting', id: 'ADMINS_FILE' },
          message: 'ADMINS_FILE cannot be read or has an entry that is not valid.',
          nextStep: 'Correct the file: the log names the entry. The last good list counts for five minutes.',
        },
        isOver: () => admins.isReadable,
      },
    ];
    this.maybeOpen = new Set(this.conditions);
  }

  @Job({
    name: 'process-alerts',
    purpose: 'Raises alerts about the process itself (its clock, ADMINS_FILE), and settles them',
    everySeconds: 5,
  })
  async updateAlerts(): Promise<void> {
    for (const condition of this.conditions) {
      const { kind, subject } = condition.alert;
      if (!condition.isOver()) {
        this.maybeOpen.add(condition);
        await this.alerts.raise(condition.alert);
      } else if (this.maybeOpen.has(condition)) {
        await this.alerts.settle(kind, subject.id);
        this.maybeOpen.delete(condition);
      }
    }
  }
}
