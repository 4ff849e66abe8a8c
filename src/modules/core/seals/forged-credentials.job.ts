import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../common/durations.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { CredentialSealsService } from './credential-seals.service.js';

/** How often a process raises the alert about a table, however many forged rows it reads. An open alert is not raised again. */
const ALERT_EVERY_MS = MINUTE_MS;
const ID_LENGTH = 200;

@Injectable()
export class ForgedCredentialsJob {
  private readonly alertedAtMs = new Map<string, number>();

  constructor(
    private readonly seals: CredentialSealsService,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'forged-credentials',
    purpose: 'Raises an alert about rows of credentials that the service has not written',
    everySeconds: 1,
  })
  async reportForgeries(): Promise<void> {
    for (const [table, id] of this.seals.unreported) {
      const lastMs = this.alertedAtMs.get(table) ?? -Infinity;
      if (performance.now() - lastMs < ALERT_EVERY_MS) continue;
      await this.alerts.raise({
        kind: 'forged-credential',
        subject: { type: 'table', id: table },
        message: `The table ${table} has a row that the service has not written, or that had ended: ${id.slice(0, ID_LENGTH)}. It opens nothing.`,
        nextStep:
          'Find out who can write to the database, and delete the row: docs/operations.md, "Forged credentials".',
      });
      this.alertedAtMs.set(table, performance.now());
      if (this.seals.unreported.get(table) === id) this.seals.unreported.delete(table);
    }
  }
}
