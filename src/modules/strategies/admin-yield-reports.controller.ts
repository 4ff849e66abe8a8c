import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { EnvelopedResponse, pagedResponse } from '../../http/response/enveloped-response.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { toYieldReportResponse } from './strategies.mapper.js';
import { YieldReportResponse } from './dto/strategy.response.js';
import { RejectYieldReportRequest, YieldReportsQuery } from './dto/strategies.request.js';
import { YieldReportsService } from './yield-reports.service.js';

const Id = () => Param('id', new IdPipe('YIELD_REPORT_NOT_FOUND'));

@ApiTags('Admin: strategies')
@Controller('api/admin/yield-reports')
export class AdminYieldReportsController {
  constructor(private readonly reports: YieldReportsService) {}

  @Get()
  @AdminRoute('*', {
    summary: 'Yield reports of the custody provider, the newest first',
    data: [YieldReportResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: YieldReportsQuery): Promise<EnvelopedResponse<YieldReportResponse[]>> {
    const { rows, total } = await this.reports.listReports(query);
    return pagedResponse(rows.map(toYieldReportResponse), query, total);
  }

  @Post(':id/accept')
  @AdminRoute('*', {
    summary:
      'Accept a yield report that waits for a decision; it takes effect as if it had been received now',
    idempotent: true,
    data: YieldReportResponse,
    errors: ['YIELD_REPORT_NOT_FOUND', 'INVALID_STATE'],
  })
  async accept(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<YieldReportResponse> {
    return toYieldReportResponse(await this.reports.accept(id, admin));
  }

  @Post(':id/reject')
  @AdminRoute('*', {
    summary: 'Reject a yield report that waits for a decision; it never takes effect',
    idempotent: true,
    data: YieldReportResponse,
    errors: ['YIELD_REPORT_NOT_FOUND', 'INVALID_STATE', 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() { reason }: RejectYieldReportRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<YieldReportResponse> {
    return toYieldReportResponse(await this.reports.reject(id, reason, admin));
  }
}
