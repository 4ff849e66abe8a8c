import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { IdParam } from '../../../http/request/path-params.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { toApprovalResponse } from './approvals.mapper.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalResponse } from './dto/approval.response.js';
import { ApprovalsQuery, ApproveRequest, RejectApprovalRequest } from './dto/approvals.request.js';

const Id = () => IdParam('approval', 'APPROVAL_NOT_FOUND');
const REFUSALS: ErrorCode[] = [
  'APPROVAL_NOT_FOUND',
  'FOUR_EYES_REQUIRED',
  'INVALID_STATE',
  'VALIDATION_ERROR',
  'SERVICE_UNAVAILABLE',
];

/** The service decides about the permission, which depends on the kind of the approval. */
@Controller('api/admin/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly stepUps: StepUps,
  ) {}

  @Get()
  @AdminRoute(null, {
    summary:
      'Changes that wait or have waited for a second admin: those that the caller may decide or, with mine=true, has requested; pending ones first, then the newest',
    data: [ApprovalResponse],
    paged: true,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: ApprovalsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<ApprovalResponse[]>> {
    const { rows, ...page } = await this.approvals.listApprovals(query, admin);
    return pagedResponse(rows.map(toApprovalResponse), query, page);
  }

  @Get(':id')
  @AdminRoute(null, {
    summary: 'One approval; the caller needs the permission of its kind',
    data: ApprovalResponse,
    errors: ['APPROVAL_NOT_FOUND'],
  })
  async detail(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.getApproval(id, admin));
  }

  @Post(':id/approve')
  @AdminRoute(null, {
    operationId: 'grantApproval',
    summary:
      'Approve a change that another admin has requested, and make it; if it is refused now, `status` is failed and `failure` says why',
    data: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'ACCOUNT_LOCKED', 'WITHDRAWALS_PAUSED'],
  })
  async approve(
    @Id() id: string,
    @Body() body: ApproveRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'approval.approve');
    return toApprovalResponse(await this.approvals.approve(id, body, admin, check));
  }

  @Post(':id/reject')
  @AdminRoute(null, {
    summary: 'Reject a change that another admin has requested',
    data: ApprovalResponse,
    errors: [...REFUSALS, 'REASON_REQUIRED', 'STEP_UP_REQUIRED'],
  })
  async reject(
    @Id() id: string,
    @Body() { reason }: RejectApprovalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.reject(id, reason, admin));
  }

  @Post(':id/withdraw')
  @AdminRoute(null, {
    summary: "Withdraw the caller's own request",
    data: ApprovalResponse,
    errors: ['APPROVAL_NOT_FOUND', 'INVALID_STATE'],
  })
  async withdraw(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.approvals.withdraw(id, admin));
  }
}
