import { Injectable } from '@nestjs/common';
import { DataSource, JsonContains, MoreThan, type EntityManager } from 'typeorm';
import { countFromTotals, type Counted } from '../../../lists/count-rows.js';
import { insertRow } from '../../../database/entity-rows.js';
import { EXPORT_BATCH_ROWS, StreamingReads } from '../../../lists/streaming-reads.js';
import type { Tx } from '../../../database/unit-of-work.js';
import type { SummedRows } from '../../../http/request/pagination.js';
import { byTime, ListPage, orderSql, type PageRequest } from '../../../lists/list-page.js';
import { AuditEntry } from './entities/audit-entry.entity.js';

/** A field that is null does not restrict the entries. */
export interface AuditFilter {
  readonly actor: string | null;
  readonly action: string | null;
  readonly subjectType: string | null;
  readonly subjectId: string | null;
  /** Domain time; `until` is excluded. */
  readonly from: Date | null;
  readonly until: Date | null;
}

export type ActionOfAdmin = Pick<AuditEntry, 'actor' | 'subjectId'> & { approvedBy: string | null };
export type ListedAuditEntry = Omit<AuditEntry, 'recordedAt'>;

// Parameters 1 to 6. Each filter has an index whose last columns, `at` and `id`, are the order of the list.
const FILTER = `
  ($1::text is null or actor = $1) and ($2::text is null or action = $2)
  and ($3::text is null or subject_type = $3) and ($4::text is null or subject_id = $4)
  and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`;
const COLUMNS = `entry.id, entry.at, actor, action, subject_type as "subjectType", subject_id as "subjectId", reason, before,
  after, trace_id as "traceId"`;
const ORDER = byTime('entry.at', 'entry.id');
const SELECT_ALL = `select ${COLUMNS} from audit_entry as entry where ${FILTER} ${orderSql(ORDER)}`;

/** SQL: the reason of the newest entry with an action on a record of a type, whose id is SQL, too. */
export function newestReason(action: string, subjectType: string, subjectId: string): string {
  return `(select reason from audit_entry
            where subject_id = ${subjectId} and subject_type = '${subjectType}' and action = '${action}'
            order by at desc, id desc limit 1)`;
}

@Injectable()
export class AuditRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly streamingReads: StreamingReads,
  ) {}

  insertEntry(tx: Tx, entry: ListedAuditEntry): void {
    insertRow(tx, AuditEntry, entry);
  }

  async findActors(tx: Tx, subjectType: string, subjectId: string): Promise<string[]> {
    const rows = await tx.query<{ actor: string }[]>(
      'select distinct actor from audit_entry where subject_type = $1 and subject_id = $2',
      [subjectType, subjectId],
    );
    return rows.map(({ actor }) => actor);
  }

  async findActionsSince(
    action: string,
    from: Date,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ActionOfAdmin[]> {
    const entries = await manager.find(AuditEntry, {
      select: { id: true, actor: true, subjectId: true, after: true },
      where: { action, at: MoreThan(from) },
    });
    return entries.map(({ actor, subjectId, after }) => {
      const { approvedBy = null } = (after ?? {}) as { approvedBy?: string };
      return { actor, subjectId, approvedBy };
    });
  }

  /** True if the actor has an entry about the subject whose new values contain `after`. */
  hasEntry(
    tx: Tx,
    actor: string,
    { type: subjectType, id: subjectId }: { type: string; id: string },
    after: Record<string, unknown>,
  ): Promise<boolean> {
    return tx.existsBy(AuditEntry, { subjectType, subjectId, actor, after: JsonContains(after) });
  }

  /** Newest first. */
  async findEntries(filter: AuditFilter, request: PageRequest): Promise<SummedRows<ListedAuditEntry>> {
    const parameters: unknown[] = parametersOf(filter);
    const page = new ListPage(request, ORDER, parameters);
    // Finds the ids of the page in the index alone, and then reads only these rows.
    const rows = await this.dataSource.query<ListedAuditEntry[]>(
      `select ${COLUMNS}, ${page.key}
         from (select id from audit_entry as entry where ${FILTER} and ${page.condition} ${page.orderBy} ${page.limit}) as page
         join audit_entry as entry using (id) ${page.orderBy}`,
      parameters,
    );
    return { ...page.cut(rows, (row) => row), ...(await this.countEntries(filter)) };
  }

  /**
   * All selected entries in batches, newest first. Throws SERVICE_UNAVAILABLE while the reader has another stream open, or if
   * too many streams are open.
   */
  streamEntries(filter: AuditFilter, readerId: string): AsyncGenerator<ListedAuditEntry[], void> {
    return this.streamingReads.stream(readerId, (snapshot) =>
      snapshot.batches<ListedAuditEntry>(SELECT_ALL, parametersOf(filter), EXPORT_BATCH_ROWS),
    );
  }

  private countEntries(filter: AuditFilter): Promise<Counted> {
    const { actor, action, subjectType, subjectId, from, until } = filter;
    const totals = {
      list: 'audit_entry' as const,
      facets: [actor, action, subjectType],
      rows: { table: 'audit_entry', name: 'audit_entry', where: FILTER },
      time: { column: 'at', from, until },
      hasOtherConditions: subjectId !== null,
    };
    return countFromTotals(this.dataSource, totals, parametersOf(filter));
  }
}

function parametersOf(filter: AuditFilter): (string | Date | null)[] {
  const { actor, action, subjectType, subjectId, from, until } = filter;
  return [actor, action, subjectType, subjectId, from, until];
}
