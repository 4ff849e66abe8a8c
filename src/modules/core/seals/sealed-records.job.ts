import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { SEALED_RECORDS, type RecordTable } from '../../../database/sealed-records.js';
import { Job } from '../../../jobs/job.decorator.js';
import { CredentialSealsService } from './credential-seals.service.js';
import { SealedRecordsRepository, type StoredRecord } from './sealed-records.repository.js';

@Injectable()
export class SealedRecordsJob {
  private readonly log = new Logger('Seals');

  constructor(
    private readonly records: SealedRecordsRepository,
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
          replaceSeal: (row, after) => this.records.replaceSeal(table, row, after),
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
