import type { Rows } from '../../http/request/pagination.js';
import { EnvelopedResponse, pagedResponse } from '../../http/response/enveloped-response.js';
import type { ListedAuditEntry } from './audit.repository.js';
import type { AuditEntryResponse } from './dto/audit.response.js';

export function toAuditPage(
  query: { page: number; limit: number },
  { rows, total }: Rows<ListedAuditEntry>,
): EnvelopedResponse<AuditEntryResponse[]> {
  return pagedResponse(rows.map(toAuditEntryResponse), query, total);
}

export function toAuditEntryResponse(entry: ListedAuditEntry): AuditEntryResponse {
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
