import { Body, Controller, Post } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { ReconciliationLineResponse } from './dto/reconciliation.response.js';
import {
  AssignBreakRequest,
  ProposeResolutionRequest,
  ReopenBreakRequest,
} from './dto/reconciliations.request.js';
import { ReconciliationBreaksService } from './reconciliation-breaks.service.js';
import { toReconciliationLineResponse } from './reconciliation.mapper.js';

const Id = () => IdParam('break', 'RECONCILIATION_BREAK_NOT_FOUND');
const REFUSALS: ErrorCode[] = ['RECONCILIATION_BREAK_NOT_FOUND', 'INVALID_STATE'];

@Controller('api/admin/reconciliation-breaks')
export class ReconciliationBreaksController {
  constructor(
    private readonly breaks: ReconciliationBreaksService,
    private readonly stepUps: StepUps,
  ) {}

  @Post(':id/assign')
  @AdminRoute('transactions:write', {
    summary: 'Assign a break to an admin',
    data: ReconciliationLineResponse,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async assign(
    @Id() id: string,
    @Body() { owner }: AssignBreakRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.assign(id, owner, admin));
  }

  @Post(':id/propose')
  @AdminRoute('transactions:write', {
    summary: 'Propose a resolution of an assigned break, which another admin confirms',
    data: ReconciliationLineResponse,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async propose(
    @Id() id: string,
    @Body() body: ProposeResolutionRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.propose(id, body, admin));
  }

  @Post(':id/confirm')
  @AdminRoute('transactions:write', {
    summary: 'Confirm the resolution that another admin has proposed',
    data: ReconciliationLineResponse,
    stepUp: true,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED'],
  })
  async confirm(
    @Id() id: string,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<ReconciliationLineResponse> {
    const check = this.stepUps.checkOf(admin, token, 'approval.approve');
    return toReconciliationLineResponse(await this.breaks.confirm(id, admin, check));
  }

  @Post(':id/reopen')
  @AdminRoute('transactions:write', {
    summary: 'Reopen a break: its assignment and its proposed resolution are removed',
    data: ReconciliationLineResponse,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reopen(
    @Id() id: string,
    @Body() { reason }: ReopenBreakRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ReconciliationLineResponse> {
    return toReconciliationLineResponse(await this.breaks.reopen(id, reason, admin));
  }
}
