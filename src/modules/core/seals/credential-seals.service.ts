import { Injectable } from '@nestjs/common';
import { CredentialKeys } from '../../../common/credential-keys.js';
import {
  SEALED_COLUMNS,
  sealedColumnsOf,
  type SealedRow,
  type SealedTable,
} from '../../../common/sealed-rows.js';
import { AppConfig } from '../../../config/app-config.js';
import { SecondSecrets } from '../../../observability/second-secrets.js';

/** The seal of a row, and whether it is among the seals of credentials that have ended (`isSealEnded`). */
export interface Seal {
  readonly seal: Buffer | null;
  readonly isSealEnded: boolean;
}

interface ResealableRows<Row> {
  /** Reads the batch of rows after `last`, or the first one. */
  readonly findAfter: (last?: Row) => Promise<readonly Row[]>;
  readonly replaceSeal: (row: Row, newSeal: Buffer) => Promise<void>;
}

/** Hashes tokens and seals the rows of credentials under TOKEN_HASH_KEY, and recognises rows that the service has not written. */
@Injectable()
export class CredentialSealsService {
  /** By table, the id of one forged row that no alert reports yet. `ForgedCredentialsJob` reports them. */
  readonly unreported = new Map<string, string>();
  private readonly keys: CredentialKeys;

  constructor(
    config: AppConfig,
    private readonly secondSecrets: SecondSecrets,
  ) {
    this.keys = new CredentialKeys([config.TOKEN_HASH_KEY, ...config.TOKEN_HASH_KEY_ALSO]);
  }

  /** The hash that the database stores in place of a new token. */
  hashToken(token: string): Buffer {
    return this.keys.hashOf(token);
  }

  /** The hashes of a token under each of the keys. The database may have any of them in place of the token. */
  hashesOfToken(token: string): Buffer[] {
    return this.keys.hashesOf(token);
  }

  /** The seal of a new or changed row. Its statement has to write all sealed columns. */
  sealRow<Table extends SealedTable>(table: Table, row: SealedRow<Table>): Buffer {
    return this.keys.sealOf(table, sealedColumnsOf(table, row));
  }

  /**
   * True if the service has written the row as it is, and the row has not ended. Otherwise the alert `forged-credential` reports the row
   * within seconds, and the caller treats it as if it did not exist. Costs no query.
   */
  isAuthentic<Table extends SealedTable>(table: Table, row: SealedRow<Table> & Seal): boolean {
    const key = row.isSealEnded ? -1 : this.findKey(table, row);
    if (key > 0) this.secondSecrets.recordUse('TOKEN_HASH_KEY_ALSO');
    if (key < 0) this.reportForgery(table, row);
    return key >= 0;
  }

  /** Lets the alert `forged-credential` report a row of `table` that differs from what another table has recorded of it. */
  reportRow(table: string, id: string): void {
    this.unreported.set(table, id);
  }

  /**
   * Seals anew, under TOKEN_HASH_KEY, the rows of a table whose seals are made with a value of TOKEN_HASH_KEY_ALSO. Jobs do so
   * repeatedly, because processes with the old configuration still use that value. Returns the number of rows sealed anew.
   */
  async resealRows<Table extends SealedTable, Row extends SealedRow<Table> & Seal>(
    table: Table,
    { findAfter, replaceSeal }: ResealableRows<Row>,
    stopping: AbortSignal,
  ): Promise<number> {
    let resealed = 0;
    for (let rows = await findAfter(); rows.length > 0; rows = await findAfter(rows.at(-1)))
      for (const row of rows) {
        if (stopping.aborted) return resealed;
        if (row.isSealEnded || this.findKey(table, row) <= 0) continue;
        await replaceSeal(row, this.sealRow(table, row));
        resealed++;
      }
    return resealed;
  }

  /**
   * The index of the key under which the row is sealed: 0 is TOKEN_HASH_KEY, higher ones are the values of TOKEN_HASH_KEY_ALSO; -1 for no
   * key.
   */
  private findKey<Table extends SealedTable>(table: Table, row: SealedRow<Table> & Seal): number {
    try {
      return this.keys.findKey(table, sealedColumnsOf(table, row), row.seal);
    } catch {
      return -1; // a value that the service never writes, such as JSON that is nested too deep
    }
  }

  private reportForgery<Table extends SealedTable>(table: Table, row: SealedRow<Table>): void {
    const id = (row as Readonly<Record<string, unknown>>)[SEALED_COLUMNS[table][0]];
    this.reportRow(table, Buffer.isBuffer(id) ? `\\x${id.toString('hex')}` : String(id));
  }
}
