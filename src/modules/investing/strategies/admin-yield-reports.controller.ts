import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { IdParam } from '../../../http/request/path-params.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { toYieldReportResponse } from './strategies.mapper.js';
import { YieldReportResponse } from './dto/strategy.response.js';
import { RejectYieldReportRequest, YieldReportsQuery } from './dto/strategies.request.js';
import { YieldReportsService, YieldAcceptancesService } from './yield-reports.service.js';

const Id = () => IdParam('yield report', 'YIELD_REPORT_NOT_FOUND');

@ApiTags('Admin: strategies')
@Controller('api/admin/yield-reports')
export class AdminYieldReportsController {
  constructor(
    private readonly reports: YieldReportsService,
    private readonly acceptances: YieldAcceptancesService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @AdminRoute('*', {
    summary: 'Yield reports of the custody provider, the newest first',
    data: [YieldReportResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: YieldReportsQuery): Promise<EnvelopedResponse<YieldReportResponse[]>> {
    const { rows, ...count } = await this.reports.listReports(query);
    return pagedResponse(rows.map(toYieldReportResponse), query, count);
  }

  @Post(':id/accept')
  @AdminRoute('*', {
    summary:
      'Accept a yield report that waits for a decision, after the approval of a second admin; it then takes effect as if it had been received at that moment',
    idempotent: true,
    data: YieldReportResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: ['YIELD_REPORT_NOT_FOUND', 'INVALID_STATE'],
  })
  async accept(
    @Id() id: string,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<YieldReportResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'yield-report.accept');
    const result = await this.acceptances.requestAcceptance(id, admin, check);
    return toChangeResponse(response, result, toYieldReportResponse);
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
