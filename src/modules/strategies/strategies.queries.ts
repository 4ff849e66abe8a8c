import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { StrategiesService } from './strategies.service.js';
import {
  toStrategiesResponse,
  toStrategyDetailResponse,
  toStrategyResponse,
  type StrategiesResponse,
  type StrategyDetailResponse,
} from './dto/strategy.response.js';

/** What users are shown of the strategies. */
@Injectable()
export class StrategyReader {
  constructor(
    private readonly strategies: StrategiesService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  list(): StrategiesResponse {
    const views = this.strategies.all.map((strategy) =>
      toStrategyResponse(strategy, this.strategies.isSuspended(strategy.id)),
    );
    return toStrategiesResponse(views, this.config, this.clock.now());
  }

  /** Throws STRATEGY_NOT_FOUND, and VALIDATION_ERROR for a blank id. */
  detail(id: string): StrategyDetailResponse {
    if (!id.trim()) fail('VALIDATION_ERROR', [{ field: 'id', message: 'must not be blank' }]);
    const strategy = this.strategies.find(id) ?? fail('STRATEGY_NOT_FOUND');
    return toStrategyDetailResponse(strategy, this.strategies.isSuspended(id));
  }
}
