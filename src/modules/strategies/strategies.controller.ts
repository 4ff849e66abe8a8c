import { Controller, Get, Param, Query } from '@nestjs/common';
import { UserRoute } from '../../http/auth/route.js';
import { StrategyReader } from './strategies.queries.js';
import { StrategyHistoryQuery } from './dto/strategy-history.request.js';
import { StrategyHistory } from './strategy-history.queries.js';
import { StrategyHistoryView } from './dto/strategy-history.response.js';
import { StrategiesView, StrategyDetailView } from './dto/strategy.response.js';

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(
    private readonly reader: StrategyReader,
    private readonly history: StrategyHistory,
  ) {}

  @Get()
  @UserRoute({ summary: 'All strategies', data: StrategiesView, unexpected: 'INTERNAL_ERROR' })
  list(): StrategiesView {
    return this.reader.list();
  }

  @Get(':id')
  @UserRoute({
    summary: 'One strategy',
    data: StrategyDetailView,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND'],
  })
  detail(@Param('id') id: string): StrategyDetailView {
    return this.reader.detail(id);
  }

  @Get(':id/performance')
  @UserRoute({
    summary: 'Daily values and returns of a strategy',
    data: StrategyHistoryView,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  performance(@Param('id') id: string, @Query() query: StrategyHistoryQuery): Promise<StrategyHistoryView> {
    return this.history.of(id, query);
  }
}
