import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { toResponse } from '../../../http/response/to-response.js';
import {
  type CurrentPause,
  WithdrawalPausesService,
} from '../../funds/withdrawals/withdrawal-pauses.service.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import type { Finding } from './domain/invariant.js';
import {
  IntegrityRunsQuery,
  PauseWithdrawalsRequest,
  ResumeWithdrawalsRequest,
} from './dto/integrity.request.js';
import {
  IntegrityResponse,
  IntegrityRunResponse,
  InvariantResponse,
  ResumedWithdrawalsResponse,
  WithdrawalPauseResponse,
} from './dto/integrity.response.js';
import type { IntegrityRun } from './entities/integrity-run.entity.js';
import { IntegrityService } from './integrity.service.js';
import type { IntegrityCheck } from './invariants.repository.js';

const REFUSALS: ErrorCode[] = ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_STATE'];

@ApiTags('Admin: integrity')
@Controller('api/admin/integrity')
export class IntegrityController {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly pauses: WithdrawalPausesService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @AdminRoute('audit:read', {
    operationId: 'checkIntegrity',
    summary:
      'Check all invariants of the ledger now; a new violation that concerns users’ money pauses withdrawals',
    data: IntegrityResponse,
  })
  async check(): Promise<IntegrityResponse> {
    return toIntegrityResponse(await this.integrity.check(), await this.pauses.findCurrentPause());
  }

  @Get('runs')
  @AdminRoute('audit:read', {
    summary: 'The latest nightly and requested checks, newest first',
    data: [IntegrityRunResponse],
    paged: true,
    errors: ['INVALID_PAGINATION'],
  })
  async list(@Query() query: IntegrityRunsQuery): Promise<EnvelopedResponse<IntegrityRunResponse[]>> {
    const { rows, ...page } = await this.integrity.listRuns(query);
    return pagedResponse(rows.map(toIntegrityRunResponse), query, page);
  }

  @Post('pause')
  @AdminRoute('*', {
    operationId: 'pauseWithdrawals',
    summary: 'Pause withdrawals: requesting, approving, taking and executing are refused',
    data: WithdrawalPauseResponse,
    errors: REFUSALS,
  })
  async pause(
    @Body() body: PauseWithdrawalsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<WithdrawalPauseResponse> {
    return toResponse(WithdrawalPauseResponse, await this.integrity.pause(body.reason, admin));
  }

  @Post('resume')
  @AdminRoute('*', {
    operationId: 'resumeWithdrawals',
    summary:
      'Resume withdrawals and acknowledge the violations that remain, after the approval of a second admin',
    data: ResumedWithdrawalsResponse,
    stepUp: true,
    approval: ApprovalResponse,
    errors: REFUSALS,
  })
  async resume(
    @Body() body: ResumeWithdrawalsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResumedWithdrawalsResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'integrity.resume');
    const result = await this.integrity.resume(body.reason, admin, check);
    return toChangeResponse(response, result, (resumed) => toResponse(ResumedWithdrawalsResponse, resumed));
  }
}

function toIntegrityResponse(check: IntegrityCheck, pause: CurrentPause | null): IntegrityResponse {
  return toResponse(IntegrityResponse, check, {
    status: check.verdict,
    laws: check.findings.map(toInvariantResponse),
    pause,
  });
}

function toIntegrityRunResponse(run: IntegrityRun): IntegrityRunResponse {
  return toResponse(IntegrityRunResponse, run, { status: run.verdict });
}

function toInvariantResponse({ invariant, violations, violationCount }: Finding): InvariantResponse {
  return toResponse(InvariantResponse, invariant, {
    status: violationCount > 0 ? 'broken' : 'holds',
    breaks: violations,
    breakCount: violationCount,
  });
}
