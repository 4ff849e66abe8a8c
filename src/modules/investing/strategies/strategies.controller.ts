import { Body, Controller, Get, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Clock } from '../../../common/clock.js';
import { AppConfig } from '../../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute, UserRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam, PathParam } from '../../../http/request/path-params.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import {
  ChangeStrategyRequest,
  RejectYieldReportRequest,
  StrategyHistoryQuery,
  YieldReportsQuery,
} from './dto/strategies.request.js';
import {
  AdminStrategyResponse,
  StrategiesResponse,
  StrategyChangeResponse,
  StrategyDetailResponse,
  StrategyHistoryResponse,
  YieldReportResponse,
} from './dto/strategy.response.js';
import { NavsService } from './navs.service.js';
import {
  toAdminStrategyResponse,
  toStrategiesResponse,
  toStrategyChangeResponse,
  toStrategyDetailResponse,
  toStrategyHistoryResponse,
  toYieldReportResponse,
} from './strategies.mapper.js';
import { StrategiesService, StrategyChangesService } from './strategies.service.js';
import { YieldAcceptancesService, YieldReportsService } from './yield-reports.service.js';

const StrategyId = () => PathParam({ name: 'id', description: 'id of the strategy', example: 'balanced-10' });

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  @Get()
  @UserRoute({
    operationId: 'listStrategies',
    scope: 'any',
    summary: 'All strategies',
    data: StrategiesResponse,
    unexpected: 'INTERNAL_ERROR', // instead of INTERNAL_SERVER_ERROR
  })
  list(): StrategiesResponse {
    return toStrategiesResponse(this.strategies.listStrategies(), this.config, this.clock.now());
  }

  @Get(':id')
  @UserRoute({
    scope: 'any',
    summary: 'One strategy',
    data: StrategyDetailResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND'],
  })
  detail(@StrategyId() id: string): StrategyDetailResponse {
    return toStrategyDetailResponse(this.strategies.getListedStrategy(id));
  }

  @Get(':id/performance')
  @UserRoute({
    scope: 'any',
    summary: 'Daily values and returns of a strategy',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  async performance(
    @StrategyId() id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return toStrategyHistoryResponse(await this.navs.getHistory(id, query));
  }
}

const NOT_APPLIED =
  'The request was recorded and not applied: strategies are set by configuration, and this one stays as it is.';

@ApiTags('Admin: strategies')
@Controller('api/admin/strategies')
export class AdminStrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly changes: StrategyChangesService,
    private readonly navs: NavsService,
  ) {}

  @Get()
  @AdminRoute(null, {
    summary: 'All strategies',
    data: [AdminStrategyResponse],
    unexpected: 'INTERNAL_ERROR',
  })
  list(): AdminStrategyResponse[] {
    return this.strategies.listStrategies().map(toAdminStrategyResponse);
  }

  @Get(':id/performance')
  @AdminRoute(null, {
    summary: 'Daily values and returns of a strategy, as users see them',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  async performance(
    @StrategyId() id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return toStrategyHistoryResponse(await this.navs.getHistory(id, query));
  }

  @Put(':id')
  @AdminRoute('*', {
    summary: 'Request a change; it is recorded and not applied, because strategies are set by configuration',
    data: StrategyChangeResponse,
    errors: ['STRATEGY_NOT_FOUND', 'VALIDATION_ERROR'],
  })
  async change(
    @StrategyId() id: string,
    @Body() body: ChangeStrategyRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<StrategyChangeResponse>> {
    return new EnvelopedResponse(
      toStrategyChangeResponse(await this.changes.requestChange(id, body, admin)),
      { message: NOT_APPLIED },
    );
  }
}

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
