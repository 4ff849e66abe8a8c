import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { WithdrawalPausesService } from '../withdrawals/withdrawal-pauses.service.js';
import { IntegrityRuns } from './integrity-runs.js';
import {
  IntegrityRunsQuery,
  PauseWithdrawalsRequest,
  ResumeWithdrawalsRequest,
} from './dto/integrity.request.js';
import { IntegrityService } from './integrity.service.js';
import {
  IntegrityRunResponse,
  toIntegrityRunResponse,
  IntegrityResponse,
  toIntegrityResponse,
  ResumedWithdrawalsResponse,
  toResumedWithdrawalsResponse,
  WithdrawalPauseResponse,
  toWithdrawalPauseResponse,
} from './dto/integrity.response.js';

const REFUSALS: ErrorCode[] = ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_STATE'];

@ApiTags('Admin: integrity')
@Controller('api/admin/integrity')
export class IntegrityController {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly runs: IntegrityRuns,
    private readonly pauses: WithdrawalPausesService,
  ) {}

  @Get()
  @AdminRoute('audit:read', {
    summary:
      'Check all invariants of the ledger now; a new violation that concerns users’ money pauses withdrawals',
    data: IntegrityResponse,
  })
  async check(): Promise<IntegrityResponse> {
    return toIntegrityResponse(await this.integrity.check(), await this.pauses.current());
  }

  @Get('runs')
  @AdminRoute('audit:read', {
    summary: 'The latest nightly and requested checks, the newest first',
    data: [IntegrityRunResponse],
    paged: true,
    errors: ['INVALID_PAGINATION'],
  })
  async list(@Query() query: IntegrityRunsQuery): Promise<EnvelopedResponse<IntegrityRunResponse[]>> {
    const { rows, total } = await this.runs.list(query);
    return new EnvelopedResponse(rows.map(toIntegrityRunResponse), {
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  @Post('pause')
  @AdminRoute('*', {
    summary: 'Pause withdrawals: requests, approvals and executions are refused',
    data: WithdrawalPauseResponse,
    errors: REFUSALS,
  })
  async pause(
    @Body() body: PauseWithdrawalsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<WithdrawalPauseResponse> {
    return toWithdrawalPauseResponse(await this.integrity.pause(body.reason, admin));
  }

  @Post('resume')
  @AdminRoute('*', {
    summary: 'Resume withdrawals and acknowledge the violations that remain',
    data: ResumedWithdrawalsResponse,
    errors: REFUSALS,
  })
  async resume(
    @Body() body: ResumeWithdrawalsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ResumedWithdrawalsResponse> {
    return toResumedWithdrawalsResponse(await this.integrity.resume(body.reason, admin));
  }
}
