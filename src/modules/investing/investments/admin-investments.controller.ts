import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentAdmin, type AdminPrincipal } from '../../../http/auth/principal.js';
import { AdminRoute } from '../../../http/auth/route.js';
import { streamCsv } from '../../../http/response/csv-list.js';
import {
  pagedResponse,
  type EnvelopedResponse,
  type RawResponse,
} from '../../../http/response/enveloped-response.js';
import { toQueueSummary } from '../../../http/response/queue-summary.js';
import { QueueQuery } from '../../../http/request/page.query.js';
import { IdParam } from '../../../http/request/path-params.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import {
  toAdminInvestmentDetailResponse,
  toAdminInvestmentResponse,
  toAdminInvestmentsPage,
  toClosedByAdminResponse,
  toInvestmentReconciliationResponse,
  toQueuedInvestmentResponse,
} from './admin-investments.mapper.js';
import { AdminInvestmentsService } from './admin-investments.service.js';
import {
  AdminInvestmentDetailResponse,
  AdminInvestmentResponse,
  AdminInvestmentsSummaryResponse,
  ClosedByAdminResponse,
  InvestmentQueueSummaryResponse,
  InvestmentReconciliationResponse,
  QueuedInvestmentResponse,
} from './dto/admin-investment.response.js';
import {
  AdminInvestmentsQuery,
  CloseInvestmentRequest,
  RejectInvestmentRequest,
} from './dto/investments.request.js';
import { InvestmentClosingsService } from './investment-closings.service.js';
import { InvestmentsService } from './investments.service.js';

const Id = () => IdParam('investment', 'INVESTMENT_NOT_FOUND');

@ApiTags('Admin: investments')
@Controller('api/admin/investments')
export class AdminInvestmentsController {
  constructor(
    private readonly investments: InvestmentsService,
    private readonly closings: InvestmentClosingsService,
    private readonly queries: AdminInvestmentsService,
    private readonly strategies: StrategiesService,
  ) {}

  @Get()
  @AdminRoute('investments:read', {
    summary: 'Investments, with a summary of all that match the filter',
    data: [AdminInvestmentResponse],
    paged: true,
    csv: true,
    summaryResponse: AdminInvestmentsSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @Query() query: AdminInvestmentsQuery,
    @CurrentAdmin() admin: AdminPrincipal,
  ): Promise<EnvelopedResponse<AdminInvestmentResponse[]> | RawResponse> {
    return query.format === 'csv'
      ? streamCsv({
          fileName: 'investments.csv',
          model: AdminInvestmentResponse,
          batches: await this.queries.exportInvestments(query, admin),
          toItem: toAdminInvestmentResponse,
          mapKeys: { allocation: this.strategies.protocolNames() },
        })
      : toAdminInvestmentsPage(await this.queries.listInvestments(query), query, this.strategies.all);
  }

  @Get('summary')
  @AdminRoute('investments:read', {
    summary: 'Sums over all investments, to compare with the custody provider',
    data: InvestmentReconciliationResponse,
  })
  async summary(): Promise<InvestmentReconciliationResponse> {
    return toInvestmentReconciliationResponse(await this.queries.sumInvestments(), this.strategies.all);
  }

  @Get('pending')
  @AdminRoute('investments:read', {
    operationId: 'listPendingInvestments',
    summary: 'Investments that wait for approval, by default the oldest first',
    data: [QueuedInvestmentResponse],
    paged: true,
    summaryResponse: InvestmentQueueSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async pending(@Query() query: QueueQuery): Promise<EnvelopedResponse<QueuedInvestmentResponse[]>> {
    const { rows, totals, ...page } = await this.queries.listPending(query);
    const counted = { ...page, ...totals };
    const summary = toQueueSummary(totals);
    return pagedResponse(rows.map(toQueuedInvestmentResponse), query, counted, { summary });
  }

  @Get(':id')
  @AdminRoute('investments:read', {
    summary: 'One investment with its user, units, values and lifecycle',
    data: AdminInvestmentDetailResponse,
    errors: ['INVESTMENT_NOT_FOUND'],
  })
  async detail(@Id() id: string): Promise<AdminInvestmentDetailResponse> {
    return toAdminInvestmentDetailResponse(await this.queries.getInvestment(id));
  }

  @Put(':id/approve')
  @AdminRoute('investments:approve', {
    summary: 'Approve a pending investment, which earns from the next day on',
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
    summary: 'Close an investment, or a part of it with the given value, and pay it out to its user',
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
