import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LOWEST_ID } from '../../../common/ids.js';
import type { SealedRow } from '../../../common/sealed-rows.js';
import { SEALED_RECORDS, type RecordTable } from '../../../database/sealed-records.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { CredentialSealsService, type Seal } from './credential-seals.service.js';

const BATCH_ROWS = 5000;

export type StoredRecord = SealedRow<RecordTable> & Seal & { readonly id: string };

/** Reads and seals the records of other modules whose seals never end (`SEALED_RECORDS`). */
@Injectable()
export class SealedRecordsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: CredentialSealsService,
  ) {}

  /** The ids of the applied yield reports without a valid seal. The seals of other records are verified when they are used. */
  async findForgedReports(snapshot: Snapshot): Promise<string[]> {
    const reports = await snapshot.query<StoredRecord>(
      `select ${SEALED_RECORDS.yield_report} where state in ('rate', 'fold') order by id`,
      [],
    );
    return reports.filter((report) => !this.seals.isAuthentic('yield_report', report)).map(({ id }) => id);
  }

  /** A batch of the records of a table, in the order of their ids, after the last one of the batch before. */
  findRecordsAfter(table: RecordTable, last?: StoredRecord): Promise<StoredRecord[]> {
    return this.dataSource.query<StoredRecord[]>(
      `select ${SEALED_RECORDS[table]} where id > $1 order by id limit ${BATCH_ROWS}`,
      [last?.id ?? LOWEST_ID],
    );
  }

  /** Replaces the seal, unless the row has got another seal meanwhile. */
  async replaceSeal(table: RecordTable, { id, seal }: StoredRecord, after: Buffer): Promise<void> {
    await this.dataSource.query(`update ${table} set seal = $3 where id = $1 and seal = $2`, [
      id,
      seal,
      after,
    ]);
  }
}
