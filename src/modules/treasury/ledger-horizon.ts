import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fail } from '../../common/errors/domain-error.js';

const PATIENCE_MS = 5_000;
const POLL_MS = 20;
const RETRY_AFTER_SECONDS = 5;

/**
 * Entries get their ids before they are committed, so that a smaller one may still turn up behind a larger one. A
 * horizon is an id behind which that can not happen any more: everybody who had begun to write has finished.
 */
@Injectable()
export class LedgerHorizon {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest entry's id, once nothing below it is uncommitted. Keeps nobody from writing meanwhile. Outside of any
   * transaction. Throws SERVICE_UNAVAILABLE when somebody writes for too long. */
  async reached(): Promise<bigint> {
    // Whoever has an id below the newest had a transaction id before this statement got its own.
    const [now] = await this.dataSource.query<{ newest: string; xid: string }[]>(
      `select coalesce(max(id), 0)::text as newest, pg_current_xact_id()::text as xid from ledger_entry`,
    );
    const began = performance.now();
    while (!(await this.isPast(now?.xid ?? '0'))) {
      if (performance.now() - began > PATIENCE_MS)
        fail('SERVICE_UNAVAILABLE', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return BigInt(now?.newest ?? '0');
  }

  private async isPast(xid: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ past: boolean }[]>(
      'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as past',
      [xid],
    );
    return row?.past ?? false;
  }
}
