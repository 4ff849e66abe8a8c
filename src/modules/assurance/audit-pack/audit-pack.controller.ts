import { Controller, Get, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import type { RawResponse } from '../../../http/response/enveloped-response.js';
import { streamResponse } from '../../../http/response/streaming.js';
import { AuditPackService } from './audit-pack.service.js';
import { AuditPackQuery } from './dto/audit-pack.request.js';

@Controller('api/admin/audit-pack')
export class AuditPackController {
  constructor(private readonly packs: AuditPackService) {}

  @Get()
  @AdminRoute('audit:read', {
    summary: 'The records of some days with everything to verify them offline, as .tar.gz',
    bytes: 'application/gzip',
    errors: ['INVALID_DATE_RANGE'],
  })
  async get(@Query() query: AuditPackQuery, @CurrentAdmin() admin: AdminPrincipal): Promise<RawResponse> {
    const { fileName, pieces } = this.packs.streamPack(query, admin);
    return streamResponse(pieces, { type: 'application/gzip', fileName });
  }
}
