import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { toAuditCsv, toAuditPage } from './audit.mapper.js';
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
    return query.format === 'json'
      ? toAuditPage(query, await this.audit.listEntries(query))
      : toAuditCsv(this.audit.streamEntries(query, admin.id));
  }
}
