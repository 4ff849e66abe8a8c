import { Injectable, Logger } from '@nestjs/common';
import { realNow } from '../../../common/clock.js';
import { DAY_MS, MINUTE_MS } from '../../../common/durations.js';
import { AppConfig } from '../../../config/app-config.js';
import { DatabaseClock } from '../../../database/database-clock.js';
import { SEALED_RECORDS, type RecordTable } from '../../../database/sealed-records.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { CredentialSealsService } from './credential-seals.service.js';
import { SealsRepository, type StoredRecord } from './seals.repository.js';
/** A seal outlives its credential by a day: approvals expire by domain time, which differs from real time in tests and the sandbox. */
const KEPT_MS = DAY_MS;

@Injectable()
export class EndedSealsJob {
  constructor(
    private readonly seals: SealsRepository,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * While an ended seal is stored, a copy of its former row is refused. It is needed until that row would have expired anyway. While the
   * clock of the process is wrong, no seal is deleted, because the row may not have expired yet.
   */
  @Job({
    name: 'ended-seals',
    purpose: 'Deletes the seals of ended credentials that would have expired by now anyway',
    everySeconds: 3600,
  })
  async deleteExpiredSeals(stopping: AbortSignal): Promise<void> {
    if (!this.clock.isInSync) return;
    await this.seals.deleteExpired(new Date(realNow().getTime() - KEPT_MS), stopping);
  }
}

/** A process raises the alert about a table at most this often, however many forged rows it reads. An open alert is not raised again. */
const ALERT_EVERY_MS = MINUTE_MS;
/** Characters of an id in the alert: the id of a forged row may have any length. */
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
      // If another row of the table was found meanwhile, its id stays for a later run.
      if (this.seals.unreported.get(table) === id) this.seals.unreported.delete(table);
    }
  }
}

@Injectable()
export class SealedRecordsJob {
  private readonly log = new Logger('Seals');

  constructor(
    private readonly records: SealsRepository,
    private readonly seals: CredentialSealsService,
    private readonly config: AppConfig,
  ) {}

  @Job({
    name: 'sealed-records',
    purpose: 'Seals addresses and yield reports under TOKEN_HASH_KEY while TOKEN_HASH_KEY_ALSO is set',
    everySeconds: 600,
    atStart: true,
    exclusive: true,
  })
  async resealRecords(stopping: AbortSignal): Promise<void> {
    if (this.config.TOKEN_HASH_KEY_ALSO.length === 0) return;
    let resealed = 0;
    for (const table of Object.keys(SEALED_RECORDS) as RecordTable[])
      resealed += await this.seals.resealRows(
        table,
        {
          findAfter: (last?: StoredRecord) => this.records.findRecordsAfter(table, last),
          replaceSeal: (row, newSeal) => this.records.replaceSeal(table, row, newSeal),
        },
        stopping,
      );
    if (stopping.aborted) return;
    this.log.log(
      resealed > 0
        ? `${resealed} address(es) and yield report(s) are now sealed under TOKEN_HASH_KEY`
        : 'no address and no yield report is sealed under TOKEN_HASH_KEY_ALSO',
    );
  }
}
