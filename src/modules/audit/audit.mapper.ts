import { paginate, type Rows } from '../../http/request/pagination.js';
import { csvLine } from '../../http/response/csv.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import type { ListedAuditEntry } from './audit.repository.js';
import type { AuditEntryResponse } from './dto/audit.response.js';

export function toAuditPage(
  { page, limit }: { page: number; limit: number },
  { rows, total }: Rows<ListedAuditEntry>,
): EnvelopedResponse<AuditEntryResponse[]> {
  return new EnvelopedResponse(rows.map(toAuditEntryResponse), {
    pagination: { ...paginate(page, limit, total) },
  });
}

function toAuditEntryResponse(entry: ListedAuditEntry): AuditEntryResponse {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    admin: entry.actor,
    action: entry.action,
    subjectType: entry.subjectType,
    subjectId: entry.subjectId,
    reason: entry.reason,
    before: entry.before as Record<string, unknown> | null,
    after: entry.after as Record<string, unknown> | null,
    traceId: entry.traceId,
  };
}

const COLUMNS = [
  'id',
  'at',
  'admin',
  'action',
  'subjectType',
  'subjectId',
  'reason',
  'before',
  'after',
  'traceId',
] as const satisfies readonly (keyof AuditEntryResponse)[];

/** CSV with a header row. Yields the header only with the first batch: until then an error can still be sent as JSON. */
export async function* toAuditCsv(batches: AsyncIterable<ListedAuditEntry[]>): AsyncGenerator<string, void> {
  let header = csvLine(COLUMNS);
  for await (const batch of batches) {
    yield header + batch.map(toAuditEntryResponse).map(toCsvLine).join('');
    header = '';
  }
  if (header) yield header;
}

function toCsvLine(entry: AuditEntryResponse): string {
  return csvLine(
    COLUMNS.map((name) => {
      const value = entry[name];
      return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    }),
  );
}
