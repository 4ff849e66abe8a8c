import { Controller, Get, Param, Query } from '@nestjs/common';
import { UserRoute } from '../../http/auth/route.js';
import { StrategyReader } from './strategies.queries.js';
import { StrategyHistoryQuery } from './dto/strategy-history.request.js';
import { StrategyHistory } from './strategy-history.service.js';
import { StrategyHistoryResponse } from './dto/strategy-history.response.js';
import { StrategiesResponse, StrategyDetailResponse } from './dto/strategy.response.js';

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(
    private readonly reader: StrategyReader,
    private readonly history: StrategyHistory,
  ) {}

  @Get()
  @UserRoute({ summary: 'All strategies', data: StrategiesResponse, unexpected: 'INTERNAL_ERROR' })
  list(): StrategiesResponse {
    return this.reader.list();
  }

  @Get(':id')
  @UserRoute({
    summary: 'One strategy',
    data: StrategyDetailResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND'],
  })
  detail(@Param('id') id: string): StrategyDetailResponse {
    return this.reader.detail(id);
  }

  @Get(':id/performance')
  @UserRoute({
    summary: 'Daily values and returns of a strategy',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  performance(
    @Param('id') id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return this.history.of(id, query);
  }
}
