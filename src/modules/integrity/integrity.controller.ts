import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { EnvelopedResponse, pagedResponse } from '../../http/response/enveloped-response.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { WithdrawalPausesService } from '../withdrawals/withdrawal-pauses.service.js';
import {
  IntegrityRunsQuery,
  PauseWithdrawalsRequest,
  ResumeWithdrawalsRequest,
} from './dto/integrity.request.js';
import {
  IntegrityResponse,
  IntegrityRunResponse,
  ResumedWithdrawalsResponse,
  WithdrawalPauseResponse,
} from './dto/integrity.response.js';
import {
  toIntegrityResponse,
  toIntegrityRunResponse,
  toResumedWithdrawalsResponse,
  toWithdrawalPauseResponse,
} from './integrity.mapper.js';
import { IntegrityService } from './integrity.service.js';

const REFUSALS: ErrorCode[] = ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_STATE'];

@ApiTags('Admin: integrity')
@Controller('api/admin/integrity')
export class IntegrityController {
  constructor(
    private readonly integrity: IntegrityService,
    private readonly pauses: WithdrawalPausesService,
  ) {}

  @Get()
  @AdminRoute('audit:read', {
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
    const { rows, total } = await this.integrity.listRuns(query);
    return pagedResponse(rows.map(toIntegrityRunResponse), query, total);
  }

  @Post('pause')
  @AdminRoute('*', {
    summary: 'Pause withdrawals: requesting, approving, taking and executing are refused',
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
    summary:
      'Resume withdrawals and acknowledge the violations that remain, after the approval of a second admin',
    data: ResumedWithdrawalsResponse,
    approval: ApprovalResponse,
    errors: REFUSALS,
  })
  async resume(
    @Body() body: ResumeWithdrawalsRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ResumedWithdrawalsResponse | ApprovalResponse> {
    const result = await this.integrity.resume(body.reason, admin);
    return toChangeResponse(response, result, toResumedWithdrawalsResponse);
  }
}
