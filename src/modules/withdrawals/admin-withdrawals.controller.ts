import { Body, Controller, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AppConfig } from '../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { streamCsv } from '../../http/response/csv-list.js';
import type { EnvelopedResponse, RawResponse } from '../../http/response/enveloped-response.js';
import { QueueQuery } from '../../http/request/queue.query.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { toChangeResponse } from '../approvals/approvals.mapper.js';
import { ApprovalResponse } from '../approvals/dto/approval.response.js';
import { AcceptReviewRequest } from '../screening/dto/screening.request.js';
import { AcceptedReviewResponse } from '../screening/dto/screening.response.js';
import { toAcceptedReviewResponse } from '../screening/screening.mapper.js';
import { AdminWithdrawalsService } from './admin-withdrawals.service.js';
import {
  AdminWithdrawalDetailResponse,
  AdminWithdrawalResponse,
  BasicWithdrawalListResponse,
  BulkTakeResponse,
  QueuedWithdrawalResponse,
  QueueSummaryResponse,
  WithdrawalListSummaryResponse,
} from './dto/admin-withdrawal.response.js';
import {
  AdminWithdrawalsQuery,
  BulkTakeRequest,
  CompleteWithdrawalRequest,
  RejectWithdrawalRequest,
} from './dto/withdrawals.request.js';
import { WithdrawalOutcomesService } from './withdrawal-outcomes.service.js';
import { WithdrawalReviewsService } from './withdrawal-reviews.service.js';
import {
  toAdminWithdrawalDetailResponse,
  toAdminWithdrawalPage,
  toAdminWithdrawalResponse,
  toBulkTakeResponse,
  toWithdrawalQueuePage,
} from './withdrawals.mapper.js';

const Id = () => Param('id', new IdPipe('WITHDRAWAL_NOT_FOUND'));
const REFUSALS: ErrorCode[] = ['WITHDRAWAL_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'];

@Controller('api/admin/withdrawals')
export class AdminWithdrawalsController {
  constructor(
    private readonly withdrawals: AdminWithdrawalsService,
    private readonly outcomes: WithdrawalOutcomesService,
    private readonly reviews: WithdrawalReviewsService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('withdrawals:read', {
    summary: 'Withdrawals, with a summary of all that the filter selects',
    data: [AdminWithdrawalResponse],
    variant: BasicWithdrawalListResponse,
    paged: true,
    csv: true,
    summaryResponse: WithdrawalListSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
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
    summary: 'Pending withdrawals, oldest first by default, with the figures that an operator decides by',
    data: [QueuedWithdrawalResponse],
    paged: true,
    summaryResponse: QueueSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async queue(@Query() query: QueueQuery): Promise<EnvelopedResponse<QueuedWithdrawalResponse[]>> {
    return toWithdrawalQueuePage(
      await this.withdrawals.listQueue(query),
      query,
      this.config.WITHDRAWAL_DAILY_LIMIT,
    );
  }

  @Post('bulk-take')
  @AdminRoute('withdrawals:approve', {
    summary: 'Take several withdrawals; a failure of one does not affect the others',
    idempotent: true,
    data: BulkTakeResponse,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async bulkTake(
    @Body() body: BulkTakeRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<BulkTakeResponse> {
    return toBulkTakeResponse(await this.withdrawals.takeSeveral(body.ids, admin));
  }

  @Get(':id')
  @AdminRoute('withdrawals:read', {
    summary: 'One withdrawal with its user, limits and lifecycle',
    data: AdminWithdrawalDetailResponse,
    errors: ['WITHDRAWAL_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminWithdrawalDetailResponse> {
    return toAdminWithdrawalDetailResponse(
      await this.withdrawals.getHistory(id),
      this.config.WITHDRAWAL_DAILY_LIMIT,
    );
  }

  @Post(':id/take')
  @AdminRoute('withdrawals:approve', {
    summary: 'Take a withdrawal into processing; the user can no longer cancel it',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async take(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.takeWithdrawal(id, admin));
  }

  @Post(':id/complete')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Complete a withdrawal with the hash of the transfer that was made at the custody provider; if the chain contradicts the payment, after the approval of a second admin',
    idempotent: true,
    data: AdminWithdrawalResponse,
    approval: ApprovalResponse,
    errors: [
      ...REFUSALS,
      ...(['VALIDATION_ERROR', 'INVALID_TX_HASH', 'DUPLICATE_TX_HASH', 'FOUR_EYES_REQUIRED'] as const),
    ],
  })
  async complete(
    @Id() id: string,
    @Body() body: CompleteWithdrawalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminWithdrawalResponse | ApprovalResponse> {
    const result = await this.outcomes.completeWithdrawal(id, body, admin);
    return toChangeResponse(response, result, toAdminWithdrawalResponse);
  }

  @Put(':id/approve')
  @AdminRoute('withdrawals:approve', {
    summary: 'Approve a withdrawal, so that another admin can take it',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async approve(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.approveWithdrawal(id, admin));
  }

  @Put(':id/execute')
  @AdminRoute('withdrawals:approve', {
    summary: 'Execute an approved withdrawal: its status becomes processing',
    idempotent: true,
    data: AdminWithdrawalResponse,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async execute(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalResponse> {
    return toAdminWithdrawalResponse(await this.withdrawals.executeWithdrawal(id, admin));
  }

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Accept this withdrawal although the screening verdict on the user or the address is `review`, after the approval of a second admin',
    data: AcceptedReviewResponse,
    approval: ApprovalResponse,
    errors: [...REFUSALS, 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async acceptReview(
    @Id() id: string,
    @Body() body: AcceptReviewRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AcceptedReviewResponse | ApprovalResponse> {
    const result = await this.reviews.acceptReview(id, body.reason, admin);
    return toChangeResponse(response, result, toAcceptedReviewResponse);
  }

  @Put(':id/reject')
  @AdminRoute('withdrawals:approve', {
    summary:
      'Reject a withdrawal; its amount is available to the user again. If the chain shows its payment, after the approval of a second admin',
    idempotent: true,
    data: AdminWithdrawalResponse,
    approval: ApprovalResponse,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() body: RejectWithdrawalRequest,
    @CurrentAdmin() admin: AdminPrincipal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminWithdrawalResponse | ApprovalResponse> {
    const result = await this.outcomes.rejectWithdrawal(id, body.reason, admin);
    return toChangeResponse(response, result, toAdminWithdrawalResponse);
  }
}
