import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { Answer } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { queueSummary } from '../../http/request/queue-totals.js';
import { QueueQuery } from '../../http/request/queue.query.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import type { ErrorCode } from '../../common/errors/error-catalogue.js';
import { AcceptReviewDto } from '../screening/dto/screening.request.js';
import { AcceptedReviewView, acceptedReviewView } from '../screening/dto/screening.response.js';
import {
  AdminWithdrawalView,
  adminWithdrawalView,
  BasicWithdrawalListView,
  BulkTakeView,
  bulkTakeView,
  WithdrawalListSummaryView,
  withdrawalListSummaryView,
} from './dto/admin-withdrawal.response.js';
import { AdminWithdrawalQueries } from './admin-withdrawals.queries.js';
import { WithdrawalScreening } from './withdrawal-screening.js';
import { AdminWithdrawalDetailView, adminWithdrawalDetailView } from './dto/withdrawal-detail.response.js';
import { QueuedWithdrawalView, queuedWithdrawalView, QueueSummaryView } from './dto/withdrawal-queue.response.js';
import {
  AdminWithdrawalsQuery,
  BulkTakeDto,
  CompleteWithdrawalDto,
  RejectWithdrawalDto,
} from './dto/withdrawals.request.js';
import { Withdrawals } from './withdrawals.service.js';

const Id = () => Param('id', new IdPipe('WITHDRAWAL_NOT_FOUND'));
const REFUSALS: ErrorCode[] = ['WITHDRAWAL_NOT_FOUND', 'INVALID_STATE', 'SERVICE_UNAVAILABLE'];

/** Admins' door. */
@Controller('api/admin/withdrawals')
export class AdminWithdrawalsController {
  constructor(
    private readonly withdrawals: Withdrawals,
    private readonly queries: AdminWithdrawalQueries,
    private readonly screening: WithdrawalScreening,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @AdminRoute('withdrawals:read', {
    summary: 'Withdrawals, with a summary of what the filter selects',
    data: [AdminWithdrawalView],
    variant: BasicWithdrawalListView,
    paged: true,
    totals: WithdrawalListSummaryView,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminWithdrawalsQuery,
  ): Promise<Answer<AdminWithdrawalView[]> | BasicWithdrawalListView> {
    const { rows, total, totals } = await this.queries.list({
      ...query,
      userId: query.userId ?? query.user_id,
    });
    if (query.view === 'basic') return { withdrawals: rows.map(adminWithdrawalView), total };
    return new Answer(rows.map(adminWithdrawalView), {
      summary: withdrawalListSummaryView(total, totals),
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  @Get('pending')
  @AdminRoute('withdrawals:read', {
    summary: 'Withdrawals that wait for an operator, the oldest first',
    data: [QueuedWithdrawalView],
    paged: true,
    totals: QueueSummaryView,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async queue(@Query() query: QueueQuery): Promise<Answer<QueuedWithdrawalView[]>> {
    const { rows, totals } = await this.queries.queue(query);
    return new Answer(
      rows.map((row) => queuedWithdrawalView(row, this.config.WITHDRAWAL_DAILY_LIMIT)),
      {
        summary: queueSummary(totals),
        pagination: { ...paginate(query.page, query.limit, totals.total) },
      },
    );
  }

  @Post('bulk-take')
  @AdminRoute('withdrawals:approve', {
    summary: 'Take several withdrawals; a failure of one does not affect the others',
    idempotent: true,
    data: BulkTakeView,
    errors: ['MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async bulkTake(@Body() body: BulkTakeDto, @CurrentAdmin() admin: AdminPrincipal): Promise<BulkTakeView> {
    return bulkTakeView(await this.withdrawals.bulkTake(body.ids, admin));
  }

  @Get(':id')
  @AdminRoute('withdrawals:read', {
    summary: 'One withdrawal with its user, limits and lifecycle',
    data: AdminWithdrawalDetailView,
    errors: ['WITHDRAWAL_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminWithdrawalDetailView> {
    return adminWithdrawalDetailView(await this.queries.detail(id), this.config.WITHDRAWAL_DAILY_LIMIT);
  }

  @Post(':id/take')
  @AdminRoute('withdrawals:approve', {
    summary: 'Take a withdrawal into processing; the user can no longer cancel it',
    idempotent: true,
    data: AdminWithdrawalView,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async take(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalView> {
    return adminWithdrawalView(await this.withdrawals.take(id, admin));
  }

  @Post(':id/complete')
  @AdminRoute('withdrawals:approve', {
    summary: 'Enter the hash of the transfer that was made in the custody provider',
    idempotent: true,
    data: AdminWithdrawalView,
    errors: [...REFUSALS, 'VALIDATION_ERROR', 'DUPLICATE_TX_HASH'],
  })
  async complete(
    @Id() id: string,
    @Body() body: CompleteWithdrawalDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminWithdrawalView> {
    return adminWithdrawalView(await this.withdrawals.complete(id, body, admin));
  }

  @Put(':id/approve')
  @AdminRoute('withdrawals:approve', {
    summary: 'Approve a withdrawal, which another admin takes',
    idempotent: true,
    data: AdminWithdrawalView,
    errors: [...REFUSALS, 'WITHDRAWALS_PAUSED'],
  })
  async approve(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalView> {
    return adminWithdrawalView(await this.withdrawals.approve(id, admin));
  }

  @Put(':id/execute')
  @AdminRoute('withdrawals:approve', {
    summary: 'Execute an approved withdrawal: its status becomes processing',
    idempotent: true,
    data: AdminWithdrawalView,
    errors: [...REFUSALS, 'FOUR_EYES_REQUIRED', 'WITHDRAWALS_PAUSED'],
  })
  async execute(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminWithdrawalView> {
    return adminWithdrawalView(await this.withdrawals.execute(id, admin));
  }

  @Post(':id/screening/accept')
  @AdminRoute('withdrawals:approve', {
    summary: 'Accept the screening verdict review of the user and the address for this withdrawal',
    data: AcceptedReviewView,
    errors: [...REFUSALS, 'REASON_REQUIRED', 'VALIDATION_ERROR'],
  })
  async acceptReview(
    @Id() id: string,
    @Body() body: AcceptReviewDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AcceptedReviewView> {
    return acceptedReviewView(await this.screening.acceptReview(id, body.reason, admin));
  }

  @Put(':id/reject')
  @AdminRoute('withdrawals:approve', {
    summary: 'Reject a withdrawal; its amount is available to the user again',
    idempotent: true,
    data: AdminWithdrawalView,
    errors: [...REFUSALS, 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() body: RejectWithdrawalDto,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminWithdrawalView> {
    return adminWithdrawalView(await this.withdrawals.reject(id, body.reason, admin));
  }
}
