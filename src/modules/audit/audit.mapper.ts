import { paginate, type Rows } from '../../http/request/pagination.js';
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
