import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../../http/auth/principal.js';
import { UserRoute } from '../../../http/auth/route.js';
import { EnvelopedResponse, pagedResponse } from '../../../http/response/enveloped-response.js';
import { IdParam } from '../../../http/request/path-params.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import {
  CancelledInvestmentResponse,
  InvestmentDetailResponse,
  InvestmentItemResponse,
  InvestmentsSummaryResponse,
  InvestmentResponse,
  ClosedInvestmentResponse,
  ClosingQuoteResponse,
} from './dto/investment.response.js';
import { PerformanceResponse } from './dto/portfolio.response.js';
import {
  ClosingQuoteQuery,
  CreateInvestmentRequest,
  InvestmentsQuery,
  MoveInvestmentRequest,
} from './dto/investments.request.js';
import { InvestmentClosingsService, type UserRequest } from './investment-closings.service.js';
import {
  toCancelledInvestmentResponse,
  toClosedInvestmentResponse,
  toClosingQuoteResponse,
  toInvestmentDetailResponse,
  toInvestmentItemResponse,
  toInvestmentResponse,
} from './investments.mapper.js';
import { InvestmentsService } from './investments.service.js';
import { toInvestmentsSummaryResponse, toPerformanceResponse } from './portfolio.mapper.js';
import { PortfolioService } from './portfolio.service.js';

const InvestmentId = () => IdParam('investment', 'INVESTMENT_NOT_FOUND');

@Controller('api/user/investments')
export class InvestmentsController {
  constructor(
    private readonly investments: InvestmentsService,
    private readonly closings: InvestmentClosingsService,
    private readonly portfolio: PortfolioService,
    private readonly strategies: StrategiesService,
  ) {}

  @Post()
  @UserRoute({
    scope: 'investments:write',
    summary: 'Invest in a strategy',
    idempotent: 'in-transaction',
    data: InvestmentResponse,
    status: 201,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'ACCOUNT_LOCKED',
      'INVALID_AMOUNT',
      'INSUFFICIENT_BALANCE',
      'STRATEGY_NOT_AVAILABLE',
      'INVALID_STRATEGY',
      'DUPLICATE_INVESTMENT',
    ],
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateInvestmentRequest,
  ): Promise<InvestmentResponse> {
    return toInvestmentResponse(await this.investments.create(user.id, body, requestOf(user)));
  }

  @Get()
  @UserRoute({
    scope: 'investments:read',
    summary: "The user's investments",
    data: [InvestmentItemResponse],
    paged: true,
    summaryResponse: InvestmentsSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: InvestmentsQuery,
  ): Promise<EnvelopedResponse<InvestmentItemResponse[]>> {
    const { rows, groups, ...page } = await this.portfolio.listInvestments(user.id, query);
    return pagedResponse(rows.map(toInvestmentItemResponse), query, page, {
      summary: toInvestmentsSummaryResponse(groups),
    });
  }

  @Get('performance')
  @UserRoute({
    operationId: 'getInvestmentPerformance',
    scope: 'investments:read',
    summary: "Value and returns of the user's investments",
    data: PerformanceResponse,
    unexpected: 'INTERNAL_ERROR',
  })
  async performance(@CurrentUser() user: UserPrincipal): Promise<PerformanceResponse> {
    return toPerformanceResponse(await this.portfolio.sumInvestments(user.id), this.strategies.all);
  }

  @Get(':id')
  @UserRoute({
    scope: 'investments:read',
    summary: "One of the user's investments",
    data: InvestmentDetailResponse,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND'],
  })
  async detail(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
  ): Promise<InvestmentDetailResponse> {
    return toInvestmentDetailResponse(await this.portfolio.getInvestment(user.id, id));
  }

  @Get(':id/quote')
  @UserRoute({
    scope: 'investments:read',
    summary: 'What closing the investment, or a part of it with the given value, would pay now',
    data: ClosingQuoteResponse,
    errors: [
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVALID_STATE',
      'INVALID_AMOUNT',
      { code: 'INVALID_AMOUNT', status: 422 },
    ],
  })
  async quote(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
    @Query() { amount }: ClosingQuoteQuery,
  ): Promise<ClosingQuoteResponse> {
    return toClosingQuoteResponse(await this.portfolio.quoteClosing(user.id, id, amount));
  }

  @Put(':id')
  @UserRoute({
    operationId: 'moveInvestment',
    scope: 'investments:write',
    summary: 'Move the whole value to another strategy: closes this investment and returns the new one',
    data: InvestmentResponse,
    idempotent: 'in-transaction',
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'ACCOUNT_LOCKED',
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVALID_STATE',
      'STRATEGY_NOT_AVAILABLE',
      'INVALID_STRATEGY',
    ],
  })
  async move(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
    @Body() { strategyId }: MoveInvestmentRequest,
  ): Promise<InvestmentResponse> {
    return toInvestmentResponse(await this.closings.move(user.id, id, strategyId, requestOf(user)));
  }

  @Delete(':id')
  @UserRoute({
    operationId: 'closeInvestment',
    scope: 'investments:write',
    summary: 'Close a whole investment and pay out its value (admins also close parts)',
    idempotent: 'in-transaction',
    data: ClosedInvestmentResponse,
    errors: [
      'ACCOUNT_LOCKED',
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVESTMENT_LOCKED',
      'INVALID_STATE',
    ],
  })
  async close(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
  ): Promise<ClosedInvestmentResponse> {
    return toClosedInvestmentResponse(await this.investments.close(user.id, id, requestOf(user)));
  }

  @Post(':id/cancel')
  @UserRoute({
    scope: 'investments:write',
    summary:
      'Cancel an investment: returns the first principal, or the value if it is lower, without fee; growth is forfeited',
    idempotent: 'in-transaction',
    data: CancelledInvestmentResponse,
    errors: [
      'ACCOUNT_LOCKED',
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVESTMENT_LOCKED',
    ],
  })
  async cancel(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
  ): Promise<CancelledInvestmentResponse> {
    return toCancelledInvestmentResponse(await this.investments.cancel(user.id, id, requestOf(user)));
  }
}

const requestOf = ({ apiKey }: UserPrincipal): UserRequest => ({ isByKey: apiKey !== undefined });
