import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { CurrentUser, type UserPrincipal } from '../../http/auth/principal.js';
import { UserRoute } from '../../http/auth/route.js';
import type { Answer } from '../../http/response/enveloped-response.js';
import { IdPipe } from '../../http/request/id.pipe.js';
import {
  CancelledInvestmentView,
  ClosedInvestmentView,
  InvestmentDetailView,
  InvestmentItemView,
  InvestmentsSummaryView,
  InvestmentView,
  PerformanceView,
} from './dto/investment.response.js';
import { InvestmentMoves } from './investment-moves.service.js';
import { CreateInvestmentBody, InvestmentsQuery, MoveInvestmentBody } from './dto/investments.request.js';
import { InvestmentsQueries } from './investments.queries.js';
import { Investments } from './investments.service.js';

const InvestmentId = () => Param('id', new IdPipe('INVESTMENT_NOT_FOUND'));

@Controller('api/user/investments')
export class InvestmentsController {
  constructor(
    private readonly investments: Investments,
    private readonly moves: InvestmentMoves,
    private readonly queries: InvestmentsQueries,
  ) {}

  @Post()
  @UserRoute({
    summary: 'Invest in a strategy',
    idempotent: true,
    data: InvestmentView,
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
  create(@CurrentUser() user: UserPrincipal, @Body() body: CreateInvestmentBody): Promise<InvestmentView> {
    return this.investments.create(user.id, body);
  }

  @Get()
  @UserRoute({
    summary: 'My investments',
    data: [InvestmentItemView],
    paged: true,
    totals: InvestmentsSummaryView,
    errors: ['INVALID_PAGINATION', 'VALIDATION_ERROR'],
  })
  list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: InvestmentsQuery,
  ): Promise<Answer<InvestmentItemView[]>> {
    return this.queries.list(user.id, query);
  }

  @Get('performance')
  @UserRoute({
    summary: 'Value and returns of my investments',
    data: PerformanceView,
    unexpected: 'INTERNAL_ERROR',
  })
  performance(@CurrentUser() user: UserPrincipal): Promise<PerformanceView> {
    return this.queries.performance(user.id);
  }

  @Get(':id')
  @UserRoute({
    summary: 'One of my investments',
    data: InvestmentDetailView,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND'],
  })
  detail(@CurrentUser() user: UserPrincipal, @InvestmentId() id: string): Promise<InvestmentDetailView> {
    return this.queries.detail(user.id, id);
  }

  @Put(':id')
  @UserRoute({
    summary: 'Move the whole value to another strategy: closes this investment, and answers the new one',
    data: InvestmentView,
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
    @Body() { strategyId }: MoveInvestmentBody,
  ): Promise<InvestmentView> {
    return this.moves.move(user.id, id, strategyId);
  }

  @Delete(':id')
  @UserRoute({
    summary: 'Close an investment and have its value paid out',
    idempotent: true,
    data: ClosedInvestmentView,
    errors: [
      'PERMISSION_DENIED',
      'INVESTMENT_NOT_FOUND',
      'INVESTMENT_ALREADY_CLOSED',
      'INVESTMENT_LOCKED',
      'INVALID_STATE',
    ],
  })
  close(@CurrentUser() user: UserPrincipal, @InvestmentId() id: string): Promise<ClosedInvestmentView> {
    return this.investments.close(user.id, id);
  }

  @Post(':id/cancel')
  @UserRoute({
    summary:
      'Cancel an investment: the first principal comes back, or the value where that is lower; growth is forfeited',
    idempotent: true,
    data: CancelledInvestmentView,
    errors: ['PERMISSION_DENIED', 'INVESTMENT_NOT_FOUND', 'INVESTMENT_ALREADY_CLOSED', 'INVESTMENT_LOCKED'],
  })
  cancel(@CurrentUser() user: UserPrincipal, @InvestmentId() id: string): Promise<CancelledInvestmentView> {
    return this.investments.cancel(user.id, id);
  }
}
