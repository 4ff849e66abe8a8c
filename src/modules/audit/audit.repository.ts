import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { countFromTotals } from '../../database/count-rows.js';
import { StreamingReads } from '../../database/streaming-reads.js';
import { offsetOf, type Rows } from '../../http/request/pagination.js';
import { instantRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';

/** What was done, as it was recorded. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly reason: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly traceId: string | null;
}

export interface AuditFilter {
  readonly admin?: string | undefined;
  readonly action?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: string | undefined;
  /** `type:id`. */
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

// Each filter has an index that ends in the order of the list.
const FILTER = `
  ($1::text is null or actor = $1) and ($2::text is null or action = $2)
  and ($3::text is null or subject_type = $3) and ($4::text is null or subject_id = $4)
  and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`;
const COLUMNS = `id, at, actor, action, subject_type as "subjectType", subject_id as "subjectId", reason, before, after,
  trace_id as "traceId"`;
const ORDER = 'order by at desc, id desc';
const SELECTED = `select ${COLUMNS} from audit_entry where ${FILTER} ${ORDER}`;
/** The page is found in the index alone, then its rows are looked up. */
const PAGE = `
  select ${COLUMNS}
    from (select id as found, at as moment from audit_entry where ${FILTER} ${ORDER} limit $7 offset $8) as page
    join audit_entry on id = found order by moment desc, found desc`;
const BATCH = 500;

/** Parameters 1 to 6. */
type Text = string | null;
type Chosen = [actor: Text, action: Text, type: Text, id: Text, from: Date | null, until: Date | null];

/** Reads what `AuditLog` recorded, the newest first. Dates that can not be are INVALID_DATE_RANGE. */
@Injectable()
export class AuditRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly longReads: StreamingReads,
    private readonly clock: Clock,
  ) {}

  async page(filter: AuditFilter & { page: number; limit: number }): Promise<Rows<AuditEntry>> {
    const chosen = this.chosen(filter);
    const rows = await this.dataSource.query<AuditEntry[]>(PAGE, [...chosen, filter.limit, offsetOf(filter)]);
    return { rows, total: await this.total(chosen) };
  }

  private total(chosen: Chosen): Promise<number> {
    const [actor, action, type, id, from, until] = chosen;
    const filter = {
      list: 'audit_entry',
      facets: [actor, action, type],
      rows: { table: 'audit_entry', name: 'audit_entry', where: FILTER },
      time: { column: 'at', from, until },
      alsoByOthers: id !== null,
    };
    return countFromTotals(this.dataSource, filter, chosen);
  }

  /** All of it, in batches as they are taken. Throws SERVICE_UNAVAILABLE when the reader has not ended the last one. */
  all(filter: AuditFilter, readerId: string): AsyncGenerator<AuditEntry[], void> {
    const chosen = this.chosen(filter);
    return this.longReads.stream(readerId, (snapshot) =>
      snapshot.batches<AuditEntry>(SELECTED, chosen, BATCH),
    );
  }

  private chosen({ admin, action, subject, from, to, ...filter }: AuditFilter): Chosen {
    const range = instantRange(
      { ...(from === undefined ? {} : { startDate: from }), ...(to === undefined ? {} : { endDate: to }) },
      this.clock.now(),
    );
    const [, type, id] = /^([^:]+):(.+)$/.exec(subject ?? '') ?? [];
    return [
      admin?.toLowerCase() ?? null,
      action ?? null,
      type ?? filter.subjectType ?? null,
      id ?? filter.subjectId ?? null,
      range.from ?? null,
      range.to ?? null,
    ];
  }
}
