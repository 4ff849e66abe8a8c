import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { EnvelopedResponse } from '../../http/response/enveloped-response.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import {
  CancelledInvestmentResponse,
  ClosedInvestmentResponse,
  InvestmentDetailResponse,
  InvestmentItemResponse,
  InvestmentsSummaryResponse,
  InvestmentResponse,
  PerformanceResponse,
} from './dto/investment.response.js';
import { InvestmentMovesService } from './investment-moves.service.js';
import {
  CreateInvestmentRequest,
  InvestmentsQuery,
  MoveInvestmentRequest,
} from './dto/investments.request.js';
import { PortfolioService } from './portfolio.service.js';
import { InvestmentsService } from './investments.service.js';

const InvestmentId = () => Param('id', new IdPipe('INVESTMENT_NOT_FOUND'));

@Controller('api/user/investments')
export class InvestmentsController {
  constructor(
    private readonly investments: InvestmentsService,
    private readonly moves: InvestmentMovesService,
    private readonly queries: PortfolioService,
  ) {}

  @Post()
  @UserRoute({
    summary: 'Invest in a strategy',
    idempotent: true,
    data: InvestmentResponse,
    status: 201,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'INVALID_AMOUNT',
      'INSUFFICIENT_BALANCE',
      'STRATEGY_NOT_AVAILABLE',
      'INVALID_STRATEGY',
      'DUPLICATE_INVESTMENT',
    ],
  })
  create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateInvestmentRequest,
  ): Promise<InvestmentResponse> {
    return this.investments.create(user.id, body);
  }

  @Get()
  @UserRoute({
    summary: 'My investments',
    data: [InvestmentItemResponse],
    paged: true,
    summaryResponse: InvestmentsSummaryResponse,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: InvestmentsQuery,
  ): Promise<EnvelopedResponse<InvestmentItemResponse[]>> {
    return this.queries.list(user.id, query);
  }

  @Get('performance')
  @UserRoute({
    summary: 'Value and returns of my investments',
    data: PerformanceResponse,
    unexpected: 'INTERNAL_ERROR',
  })
  performance(@CurrentUser() user: UserPrincipal): Promise<PerformanceResponse> {
    return this.queries.performance(user.id);
  }

  @Get(':id')
  @UserRoute({
    summary: 'One of my investments',
    data: InvestmentDetailResponse,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND'],
  })
  detail(@CurrentUser() user: UserPrincipal, @InvestmentId() id: string): Promise<InvestmentDetailResponse> {
    return this.queries.detail(user.id, id);
  }

  @Put(':id')
  @UserRoute({
    summary: 'Move the whole value to another strategy: closes this investment, and answers the new one',
    data: InvestmentResponse,
    idempotent: true,
    errors: [
      'VALIDATION_ERROR',
      'MISSING_REQUIRED_FIELD',
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVALID_STATE',
      'STRATEGY_NOT_AVAILABLE',
      'INVALID_STRATEGY',
    ],
  })
  move(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
    @Body() { strategyId }: MoveInvestmentRequest,
  ): Promise<InvestmentResponse> {
    return this.moves.move(user.id, id, strategyId);
  }

  @Delete(':id')
  @UserRoute({
    summary: 'Close an investment and have its value paid out',
    idempotent: true,
    data: ClosedInvestmentResponse,
    errors: [
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVESTMENT_LOCKED',
      'INVALID_STATE',
    ],
  })
  close(@CurrentUser() user: UserPrincipal, @InvestmentId() id: string): Promise<ClosedInvestmentResponse> {
    return this.investments.close(user.id, id);
  }

  @Post(':id/cancel')
  @UserRoute({
    summary:
      'Cancel an investment: the first principal comes back, or the value where that is lower; growth is forfeited',
    idempotent: true,
    data: CancelledInvestmentResponse,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND', 'INVESTMENT_ALREADY_CLOSED', 'INVESTMENT_LOCKED'],
  })
  cancel(
    @CurrentUser() user: UserPrincipal,
    @InvestmentId() id: string,
  ): Promise<CancelledInvestmentResponse> {
    return this.investments.cancel(user.id, id);
  }
}
