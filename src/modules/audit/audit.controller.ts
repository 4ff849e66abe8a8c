import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { EnvelopedResponse, type RawResponse } from '../../http/response/enveloped-response.js';
import { streamResponse } from '../../http/response/streaming.js';
import { paginate, type Rows } from '../../http/request/pagination.js';
import { AuditRepository, type AuditEntry } from './audit.repository.js';
import { AuditQuery } from './dto/audit.request.js';
import { AuditEntryResponse } from './dto/audit.response.js';
import { auditCsv, toAuditEntryResponse } from './audit.mapper.js';

const CSV_FILE = { type: 'text/csv; charset=utf-8; header=present', fileName: 'audit.csv' };

@Controller('api/admin/audit')
export class AuditController {
  constructor(private readonly trail: AuditRepository) {}

  @Get()
  @AdminRoute('audit:read', {
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
    return query.format === 'csv'
      ? streamResponse(auditCsv(this.trail.all(query, admin.id)), CSV_FILE)
      : pageOf(query, await this.trail.page(query));
  }
}

function pageOf(
  { page, limit }: AuditQuery,
  { rows, total }: Rows<AuditEntry>,
): EnvelopedResponse<AuditEntryResponse[]> {
  return new EnvelopedResponse(rows.map(toAuditEntryResponse), {
    pagination: { ...paginate(page, limit, total) },
  });
}
