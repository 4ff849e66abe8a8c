import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import {
  pagedResponse,
  type EnvelopedResponse,
  type RawResponse,
} from '../../../http/response/enveloped-response.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import { toResponse } from '../../../http/response/to-response.js';
import type { ListedAuditEntry } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { AuditQuery } from './dto/audit.request.js';
import { AuditEntryResponse } from './dto/audit.response.js';

@Controller('api/admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @AdminRoute('audit:read', {
    operationId: 'listAuditEntries',
    summary: 'The audit log of admins’ actions with actor, subject, reason and changes, the newest first',
    data: [AuditEntryResponse],
    paged: true,
    csv: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR', 'INVALID_DATE_RANGE'],
  })
  async list(
    @Query() query: AuditQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AuditEntryResponse[]> | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'audit.csv',
        model: AuditEntryResponse,
        batches: this.audit.streamEntries(query, admin.id),
        toItem: toAuditEntryResponse,
      });
    const { rows, ...page } = await this.audit.listEntries(query);
    return pagedResponse(rows.map(toAuditEntryResponse), query, page);
  }
}

function toAuditEntryResponse(entry: ListedAuditEntry): AuditEntryResponse {
  return toResponse(AuditEntryResponse, entry, { admin: entry.actor });
}
