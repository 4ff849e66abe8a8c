import { Controller, Get, Query } from '@nestjs/common';
import { UserRoute } from '../../../http/auth/route.js';
import { PathParam } from '../../../http/request/path-params.js';
import { AppConfig } from '../../../config/app-config.js';
import { Clock } from '../../../common/clock.js';
import { StrategyHistoryQuery } from './dto/strategies.request.js';
import {
  StrategiesResponse,
  StrategyDetailResponse,
  StrategyHistoryResponse,
} from './dto/strategy.response.js';
import { NavsService } from './navs.service.js';
import {
  toStrategiesResponse,
  toStrategyDetailResponse,
  toStrategyHistoryResponse,
} from './strategies.mapper.js';
import { StrategiesService } from './strategies.service.js';

const StrategyId = () => PathParam({ name: 'id', description: 'id of the strategy', example: 'balanced-10' });

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  @Get()
  @UserRoute({
    operationId: 'listStrategies',
    scope: 'any',
    summary: 'All strategies',
    data: StrategiesResponse,
    unexpected: 'INTERNAL_ERROR', // instead of INTERNAL_SERVER_ERROR
  })
  list(): StrategiesResponse {
    return toStrategiesResponse(this.strategies.listStrategies(), this.config, this.clock.now());
  }

  @Get(':id')
  @UserRoute({
    scope: 'any',
    summary: 'One strategy',
    data: StrategyDetailResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND'],
  })
  detail(@StrategyId() id: string): StrategyDetailResponse {
    return toStrategyDetailResponse(this.strategies.getListedStrategy(id));
  }

  @Get(':id/performance')
  @UserRoute({
    scope: 'any',
    summary: 'Daily values and returns of a strategy',
    data: StrategyHistoryResponse,
    errors: ['VALIDATION_ERROR', 'STRATEGY_NOT_FOUND', 'INVALID_DATE_RANGE'],
  })
  async performance(
    @StrategyId() id: string,
    @Query() query: StrategyHistoryQuery,
  ): Promise<StrategyHistoryResponse> {
    return toStrategyHistoryResponse(await this.navs.getHistory(id, query));
  }
}
