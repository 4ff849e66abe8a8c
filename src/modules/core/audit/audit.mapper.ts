import type { Rows } from '../../../http/request/pagination.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import {
  pagedResponse,
  type EnvelopedResponse,
  type RawResponse,
} from '../../../http/response/enveloped-response.js';
import type { ListedAuditEntry } from './audit.repository.js';
import { AuditEntryResponse } from './dto/audit.response.js';
import type { PageRequest } from '../../../lists/list-page.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toAuditPage(
  query: PageRequest,
  { rows, ...count }: Rows<ListedAuditEntry>,
): EnvelopedResponse<AuditEntryResponse[]> {
  return pagedResponse(rows.map(toAuditEntryResponse), query, count);
}

export function toAuditCsv(batches: AsyncGenerator<ListedAuditEntry[], void>): Promise<RawResponse> {
  return streamCsv({
    fileName: 'audit.csv',
    model: AuditEntryResponse,
    batches,
    toItem: toAuditEntryResponse,
  });
}

export function toAuditEntryResponse(entry: ListedAuditEntry): AuditEntryResponse {
  return toResponse(AuditEntryResponse, entry, { admin: entry.actor });
}
