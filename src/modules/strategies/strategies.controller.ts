import { Controller, Get, Param, Query } from '@nestjs/common';
import { UserRoute } from '../../http/auth/route.js';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { StrategyHistoryQuery } from './dto/strategies.request.js';
import {
  StrategiesResponse,
  StrategyDetailResponse,
  StrategyHistoryResponse,
} from './dto/strategy.response.js';
import {
  toStrategiesResponse,
  toStrategyDetailResponse,
  toStrategyHistoryResponse,
} from './strategies.mapper.js';
import { StrategiesService } from './strategies.service.js';
import { StrategyHistoryService } from './strategy-history.service.js';

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly history: StrategyHistoryService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  @Get()
  @UserRoute({
    scope: 'any',
    summary: 'All strategies',
    data: StrategiesResponse,
    unexpected: 'INTERNAL_ERROR',
  })
  list(): StrategiesResponse {
    return toStrategiesResponse(this.strategies.list(), this.config, this.clock.now());
  }

  @Get(':id')
  @UserRoute({
    scope: 'any',
    summary: 'One strategy',
    data: StrategyDetailResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND'],
  })
  detail(@Param('id') id: string): StrategyDetailResponse {
    return toStrategyDetailResponse(this.strategies.detail(id));
  }

  @Get(':id/performance')
  @UserRoute({
    scope: 'any',
    summary: 'Daily values and returns of a strategy',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  async performance(
    @Param('id') id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return toStrategyHistoryResponse(await this.history.history(id, query));
  }
}
