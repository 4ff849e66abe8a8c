import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../database/snapshots.js';
import { StreamingReads } from '../../../lists/streaming-reads.js';
import { UnitOfWork } from '../../../database/unit-of-work.js';
import { AuditService } from './audit.service.js';

/** A list that an admin exports, and the query of the request. */
export interface ListExport {
  readonly list: string;
  /** The record to which the list belongs; by default the audit entry is about the list itself. */
  readonly subject?: { readonly type: string; readonly id: string };
  readonly query: object;
  /** True if reading the list may take longer than the time-outs of requests. */
  readonly isLong?: true;
}

/** Parameters of a query that have no effect on an export. */
const IGNORED_PARAMETERS = new Set(['page', 'limit', 'cursor', 'view']);

/** Exports whole lists to admins. Each export is recorded in the audit log before its first row is read. */
@Injectable()
export class ListExportsService {
  constructor(
    private readonly streamingReads: StreamingReads,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditService,
  ) {}

  /**
   * Reads all rows in batches from one snapshot, as fast as the client reads the response. Throws SERVICE_UNAVAILABLE while
   * the admin has another export open, or if too many streams are open.
   */
  streamList<Piece>(
    admin: { readonly id: string; readonly email: string },
    exported: ListExport,
    read: (snapshot: Snapshot) => AsyncGenerator<Piece, void>,
  ): AsyncGenerator<Piece, void> {
    const record = () => this.recordExport(admin, exported);
    const recordAndRead = async function* (snapshot: Snapshot) {
      await record();
      yield* read(snapshot);
    };
    return this.streamingReads.stream(admin.id, recordAndRead, exported);
  }

  private async recordExport(
    admin: { readonly email: string },
    { list, subject, query }: ListExport,
  ): Promise<void> {
    const parameters = Object.entries(query).filter(
      ([name, value]) => !IGNORED_PARAMETERS.has(name) && value !== undefined,
    );
    await this.unitOfWork.runInTransaction((tx) =>
      this.audit.record(tx, admin, {
        action: `${list}.export`,
        subject: subject ?? { type: 'list', id: list },
        after: Object.fromEntries(parameters),
      }),
    );
  }
}
