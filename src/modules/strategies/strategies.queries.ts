import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { Strategies } from './strategies.service.js';
import {
  strategiesView,
  strategyDetailView,
  strategyView,
  type StrategiesView,
  type StrategyDetailView,
} from './dto/strategy.response.js';

/** What users are shown of the strategies. */
@Injectable()
export class StrategyReader {
  constructor(
    private readonly strategies: Strategies,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  list(): StrategiesView {
    const views = this.strategies.all.map((strategy) =>
      strategyView(strategy, this.strategies.isSuspended(strategy.id)),
    );
    return strategiesView(views, this.config, this.clock.now());
  }

  /** Throws STRATEGY_NOT_FOUND, and VALIDATION_ERROR for a blank id. */
  detail(id: string): StrategyDetailView {
    if (!id.trim()) fail('VALIDATION_ERROR', [{ field: 'id', message: 'must not be blank' }]);
    const strategy = this.strategies.find(id) ?? fail('STRATEGY_NOT_FOUND');
    return strategyDetailView(strategy, this.strategies.isSuspended(id));
  }
}
