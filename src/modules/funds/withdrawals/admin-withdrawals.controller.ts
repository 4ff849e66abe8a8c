import { Body, Controller, Get, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { StepUps, StepUpToken } from '../../../http/auth/step-up.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../../http/response/enveloped-response.js';
import { QueueQuery } from '../../../http/request/page.query.js';
import { IdParam } from '../../../http/request/path-params.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import { toChangeResponse } from '../../identity/approvals/approvals.mapper.js';
import { ApprovalResponse } from '../../identity/approvals/dto/approval.response.js';
import { AcceptReviewRequest } from '../../identity/screening/dto/screening.request.js';
import { AcceptedReviewResponse } from '../../identity/screening/dto/screening.response.js';
import { AdminWithdrawalsService } from './admin-withdrawals.service.js';
import {
  AdminWithdrawalDetailResponse,
  AdminWithdrawalResponse,
  BasicWithdrawalListResponse,
  QueuedWithdrawalResponse,
  QueueSummaryResponse,
  WithdrawalListSummaryResponse,
  BulkTakeResponse,
} from './dto/admin-withdrawal.response.js';
import {
  AdminWithdrawalsQuery,
  BulkTakeRequest,
  CompleteWithdrawalRequest,
  RejectWithdrawalRequest,
  ReleaseWithdrawalRequest,
  WithdrawalReasonRequest,
} from './dto/withdrawals.request.js';
import { PlatformLimitService } from './platform-limit.service.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalReviewsService } from './withdrawal-reviews.service.js';
import {
  toAdminWithdrawalDetailResponse,
  toAdminWithdrawalPage,
  toAdminWithdrawalResponse,
  toWithdrawalQueuePage,
} from './withdrawals.mapper.js';
import { toResponse } from '../../../http/response/to-response.js';

const Id = () => IdParam('withdrawal', 'WITHDRAWAL_NOT_FOUND');
const REFUSALS: ErrorCode[] = ['WITHDRAWAL_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'];

@Controller('api/admin/withdrawals')
export class AdminWithdrawalsController {
  constructor(
    private readonly withdrawals: AdminWithdrawalsService,
    private readonly outcomes: WithdrawalOutcomesService,
    private readonly reviews: WithdrawalReviewsService,
    private readonly stepUps: StepUps,
    private readonly platformLimit: PlatformLimitService,
  ) {}

  @Get()
  @AdminRoute('withdrawals:read', {
    summary: 'Withdrawals, with a summary of all that the filter selects',
    data: [AdminWithdrawalResponse],
    variant: BasicWithdrawalListResponse,
    paged: true,
    csv: true,
    summaryResponse: WithdrawalListSummaryResponse,
    errors: ['INVALID_PAGINATION', 'INVALID_TX_HASH', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminWithdrawalsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AdminWithdrawalResponse[]> | BasicWithdrawalListResponse | RawResponse> {
    if (query.format === 'csv')
      return streamCsv({
        fileName: 'withdrawals.csv',
        model: AdminWithdrawalResponse,
        batches: this.withdrawals.exportWithdrawals(query, admin),
        toItem: toAdminWithdrawalResponse,
      });
    return toAdminWithdrawalPage(await this.withdrawals.listWithdrawals(query), query);
  }

  @Get('pending')
  @AdminRoute('withdrawals:read', {
    operationId: 'listPendingWithdrawals',
    summary: 'Pending withdrawals, oldest first by default, with the figures that an operator decides by',
    data: [QueuedWithdrawalResponse],
    paged: true,
    summaryResponse: QueueSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async queue(@Query() query: QueueQuery): Promise<EnvelopedResponse<QueuedWithdrawalResponse[]>> {
    return toWithdrawalQueuePage(await this.withdrawals.listQueue(query), query);
  }

  @Post('bulk-take')
  @AdminRoute('withdrawals:approve', {
    operationId: 'takeWithdrawals',
    summary: 'Take several withdrawals; a failure of one does not affect the others',
    idempotent: true,
    data: BulkTakeResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async bulkTake(
    @Body() body: BulkTakeRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<BulkTakeResponse> {
    return toResponse(BulkTakeResponse, await this.withdrawals.takeSeveral(body.ids, admin));
  }

  @Get(':id')
  @AdminRoute('withdrawals:read', {
    summary: 'One withdrawal with its user, limits and lifecycle',
    data: AdminWithdrawalDetailResponse,
    errors: ['WITHDRAWAL_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminWithdrawalDetailResponse> {
    return toAdminWithdrawalDetailResponse(await this.withdrawals.getHistory(id));
  }

  @Post(':id/take')
  @AdminRoute('withdrawals:approve', {
    summary: 'Take a withdrawal into processing; the user can no longer cancel it',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'ACCOUNT_LOCKED', 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async take(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.takeWithdrawal(id, admin));
  }

  @Post(':id/complete')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Complete a withdrawal with the hash of the transfer that was made at the custody provider; if the chain contradicts the payment, after the approval of a second admin',
    idempotent: true,
    stepUp: true,
    data: AdminWithdrawalResponse,
    approval: ApprovalResponse,
    errors: [
      'MISSING_REQUIRED_FIELD',
      ...REFUSALS,
      'VALIDATION_ERROR',
      'INVALID_TX_HASH',
      'DUPLICATE_TX_HASH',
      'FOUR_EYES_REQUIRED',
    ],
  })
  async complete(
    @Id() id: string,
    @Body() body: CompleteWithdrawalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminWithdrawalResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'withdrawal.complete');
    const result = await this.outcomes.completeWithdrawal(id, body, admin, check);
    return toChangeResponse(response, result, toAdminWithdrawalResponse);
  }

  @Put(':id/approve')
  @AdminRoute('withdrawals:approve', {
    summary: 'Approve a withdrawal, so that another admin can take it',
    idempotent: true,
    stepUp: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'ACCOUNT_LOCKED', 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async approve(
    @Id() id: string,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
  ): Promise<AdminWithdrawalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'withdrawal.approve');
    return toAdminWithdrawalResponse(await this.withdrawals.approveWithdrawal(id, admin, check));
  }

  @Put(':id/execute')
  @AdminRoute('withdrawals:approve', {
    summary: 'Execute an approved withdrawal: its status becomes processing',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'ACCOUNT_LOCKED', 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async execute(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.executeWithdrawal(id, admin));
  }

  @Post(':id/fail')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Record that a withdrawal in processing was not paid; its amount stays reserved until a reversal',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async fail(
    @Id() id: string,
    @Body() { reason }: WithdrawalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.failWithdrawal(id, reason, admin));
  }

  @Post(':id/return')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Put a withdrawal in processing back to the pending ones, as the admin who has taken it or with all permissions; not if the chain shows its payment',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async return(
    @Id() id: string,
    @Body() { reason }: WithdrawalReasonRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.returnWithdrawal(id, reason, admin));
  }

  @Post(':id/release')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Release a withdrawal that waits because of the limit of the platform, after the approval of a second admin',
    data: AdminWithdrawalResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async release(
    @Id() id: string,
    @Body() { reason }: ReleaseWithdrawalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminWithdrawalResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'withdrawal.release');
    const result = await this.platformLimit.releaseByAdmin(id, reason, admin, check);
    return toChangeResponse(response, result, toAdminWithdrawalResponse);
  }

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Accept this withdrawal although the screening verdict on the user or the address is `review`, after the approval of a second admin',
    data: AcceptedReviewResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async acceptReview(
    @Id() id: string,
    @Body() body: AcceptReviewRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedReviewResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'screening.accept');
    const result = await this.reviews.acceptReview(id, body.reason, admin, check);
    return toChangeResponse(response, result, (accepted) => toResponse(AcceptedReviewResponse, accepted));
  }

  @Put(':id/reject')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Reject a withdrawal; its amount is available to the user again. If the chain shows its payment, after the approval of a second admin',
    idempotent: true,
    data: AdminWithdrawalResponse,
    approval: ApprovalResponse,
    stepUp: true,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() body: RejectWithdrawalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @StepUpToken() token: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminWithdrawalResponse | ApprovalResponse> {
    const check = this.stepUps.checkOf(admin, token, 'withdrawal.reject');
    const result = await this.outcomes.rejectWithdrawal(id, body.reason, admin, check);
    return toChangeResponse(response, result, toAdminWithdrawalResponse);
  }
}
