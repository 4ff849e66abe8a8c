import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { WithdrawalPauses } from '../withdrawals/withdrawal-pauses.js';
import { IntegrityRuns } from './integrity-runs.js';
import { IntegrityRunsQuery, PauseWithdrawalsDto, ResumeWithdrawalsDto } from './dto/integrity.request.js';
import { Integrity } from './integrity.service.js';
import {
  IntegrityRunView,
  integrityRunView,
  IntegrityView,
  integrityView,
  ResumedWithdrawalsView,
  resumedWithdrawalsView,
  WithdrawalPauseView,
  withdrawalPauseView,
} from './dto/integrity.response.js';

const REFUSALS: ErrorCode[] = ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR', 'INVALID_STATE'];

@ApiTags('Admin: integrity')
@Controller('api/admin/integrity')
export class IntegrityController {
  constructor(
    private readonly integrity: Integrity,
    private readonly runs: IntegrityRuns,
    private readonly pauses: WithdrawalPauses,
  ) {}

  @Get()
  @AdminRoute('audit:read', {
    summary:
      'Check all invariants of the ledger now; a new violation that concerns users’ money pauses withdrawals',
    data: IntegrityView,
  })
  async check(): Promise<IntegrityView> {
    return integrityView(await this.integrity.check(), await this.pauses.current());
  }

  @Get('runs')
  @AdminRoute('audit:read', {
    summary: 'The latest nightly and requested checks, the newest first',
    data: [IntegrityRunView],
    paged: true,
    errors: ['INVALID_PAGINATION'],
  })
  async list(@Query() query: IntegrityRunsQuery): Promise<Answer<IntegrityRunView[]>> {
    const { rows, total } = await this.runs.list(query);
    return new Answer(rows.map(integrityRunView), {
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  @Post('pause')
  @AdminRoute('*', {
    summary: 'Pause withdrawals: requests, approvals and executions are refused',
    data: WithdrawalPauseView,
    errors: REFUSALS,
  })
  async pause(
    @Body() body: PauseWithdrawalsDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<WithdrawalPauseView> {
    return withdrawalPauseView(await this.integrity.pause(body.reason, admin));
  }

  @Post('resume')
  @AdminRoute('*', {
    summary: 'Resume withdrawals and acknowledge the violations that remain',
    data: ResumedWithdrawalsView,
    errors: REFUSALS,
  })
  async resume(
    @Body() body: ResumeWithdrawalsDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ResumedWithdrawalsView> {
    return resumedWithdrawalsView(await this.integrity.resume(body.reason, admin));
  }
}
