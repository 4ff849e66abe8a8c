import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../http/auth/principal.js';
import { AdminRoute } from '../../http/auth/route.js';
import { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { paginate } from '../../http/request/pagination.js';
import { queueSummary } from '../../http/request/queue-totals.js';
import { QueueQuery } from '../../http/request/queue.query.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import {
  AdminInvestmentDetailResponse,
  toAdminInvestmentDetailResponse,
} from './dto/admin-investment-detail.response.js';
import {
  AdminInvestmentsSummaryResponse,
  toAdminInvestmentsSummaryResponse,
  InvestmentReconciliationResponse,
  toInvestmentReconciliationResponse,
} from './dto/admin-investment-totals.response.js';
import {
  AdminInvestmentResponse,
  toAdminInvestmentResponse,
  ClosedByAdminResponse,
  toClosedByAdminResponse,
} from './dto/admin-investment.response.js';
import {
  AdminInvestmentsQuery,
  CloseInvestmentRequest,
  RejectInvestmentRequest,
} from './dto/admin-investments.request.js';
import { AdminInvestmentQueries } from './admin-investments.repository.js';
import { InvestmentClosingsService } from './investment-closings.service.js';
import { InvestmentDetails } from './admin-investments.service.js';
import { InvestmentQueue } from './investment-queue.queries.js';
import {
  InvestmentQueueSummaryResponse,
  QueuedInvestmentResponse,
  toQueuedInvestmentResponse,
} from './dto/investment-queue.response.js';
import { InvestmentReconciliation } from './investment-reconciliation.queries.js';
import { InvestmentsService } from './investments.service.js';

const Id = () => Param('id', new IdPipe('INVESTMENT_NOT_FOUND'));

/** Admins' door. */
@ApiTags('Admin: investments')
@Controller('api/admin/investments')
export class AdminInvestmentsController {
  constructor(
    private readonly investments: InvestmentsService,
    private readonly closings: InvestmentClosingsService,
    private readonly queries: AdminInvestmentQueries,
    private readonly queue: InvestmentQueue,
    private readonly details: InvestmentDetails,
    private readonly reconciliation: InvestmentReconciliation,
    private readonly strategies: StrategiesService,
  ) {}

  @Get()
  @AdminRoute('investments:read', {
    summary: 'Investments, with a summary of what the filter selects',
    data: [AdminInvestmentResponse],
    paged: true,
    summaryResponse: AdminInvestmentsSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(@Query() query: AdminInvestmentsQuery): Promise<EnvelopedResponse<AdminInvestmentResponse[]>> {
    const { rows, total, totals } = await this.queries.list({
      ...query,
      userId: query.userId ?? query.user_id,
    });
    return new EnvelopedResponse(rows.map(toAdminInvestmentResponse), {
      summary: toAdminInvestmentsSummaryResponse(totals, this.strategies),
      pagination: { ...paginate(query.page, query.limit, total) },
    });
  }

  @Get('summary')
  @AdminRoute('investments:read', {
    summary: 'All investments in sums, to compare with the custody provider',
    data: InvestmentReconciliationResponse,
  })
  async summary(): Promise<InvestmentReconciliationResponse> {
    return toInvestmentReconciliationResponse(await this.reconciliation.now(), this.strategies);
  }

  @Get('pending')
  @AdminRoute('investments:read', {
    summary: 'Investments that wait for approval, the oldest first',
    data: [QueuedInvestmentResponse],
    paged: true,
    summaryResponse: InvestmentQueueSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async pending(@Query() query: QueueQuery): Promise<EnvelopedResponse<QueuedInvestmentResponse[]>> {
    const { rows, totals } = await this.queue.list(query);
    return new EnvelopedResponse(rows.map(toQueuedInvestmentResponse), {
      summary: queueSummary(totals),
      pagination: { ...paginate(query.page, query.limit, totals.total) },
    });
  }

  @Get(':id')
  @AdminRoute('investments:read', {
    summary: 'One investment with its user, units, values and lifecycle',
    data: AdminInvestmentDetailResponse,
    errors: ['INVESTMENT_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminInvestmentDetailResponse> {
    return toAdminInvestmentDetailResponse(await this.details.of(id));
  }

  @Put(':id/approve')
  @AdminRoute('investments:approve', {
    summary: 'Approve a pending investment: it is active and earns from the next day on',
    idempotent: true,
    data: AdminInvestmentResponse,
    errors: ['INVESTMENT_NOT_FOUND', 'INVALID_STATE'],
  })
  async approve(@Id() id: string, @CurrentAdmin() admin: AdminPrincipal): Promise<AdminInvestmentResponse> {
    return toAdminInvestmentResponse(await this.investments.approve(id, admin.email));
  }

  @Put(':id/reject')
  @AdminRoute('investments:approve', {
    summary: 'Reject a pending investment; its principal is available to the user again',
    idempotent: true,
    data: AdminInvestmentResponse,
    errors: ['INVESTMENT_NOT_FOUND', 'INVALID_STATE', 'MISSING_REQUIRED_FIELD', 'VALIDATION_ERROR'],
  })
  async reject(
    @Id() id: string,
    @Body() { reason }: RejectInvestmentRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<AdminInvestmentResponse> {
    return toAdminInvestmentResponse(await this.investments.reject(id, reason, admin.email));
  }

  @Post(':id/close')
  @AdminRoute('investments:approve', {
    summary: 'Close an investment, or the part of it that is worth an amount, and pay it out to its user',
    idempotent: true,
    data: ClosedByAdminResponse,
    errors: [
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVALID_STATE',
      'INVALID_AMOUNT',
      { code: 'INVALID_AMOUNT', status: 422 },
      'VALIDATION_ERROR',
    ],
  })
  async close(
    @Id() id: string,
    @Body() { amount }: CloseInvestmentRequest,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<ClosedByAdminResponse> {
    return toClosedByAdminResponse(await this.closings.close(id, amount, admin));
  }
}
