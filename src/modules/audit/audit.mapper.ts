import { csvLine } from '../../http/response/csv.js';
import type { AuditEntry } from './audit.repository.js';
import type { AuditEntryResponse } from './dto/audit.response.js';

export function toAuditEntryResponse(entry: AuditEntry): AuditEntryResponse {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    admin: entry.actor,
    action: entry.action,
    subjectType: entry.subjectType,
    subjectId: entry.subjectId,
    reason: entry.reason,
    before: entry.before,
    after: entry.after,
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

/** A table with a header row, which waits for the first entries: until then a refusal can be answered. */
export async function* auditCsv(batches: AsyncIterable<AuditEntry[]>): AsyncGenerator<string, void> {
  let header = csvLine(COLUMNS);
  for await (const batch of batches) {
    yield header + batch.map(toAuditEntryResponse).map(csvOf).join('');
    header = '';
  }
  if (header) yield header;
}

function csvOf(entry: AuditEntryResponse): string {
  return csvLine(
    COLUMNS.map((name) => {
      const value = entry[name];
      return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    }),
  );
}
