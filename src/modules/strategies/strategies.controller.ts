import { Controller, Get, Param } from '@nestjs/common';
import { UserRoute } from '../../http/auth/route.js';
import { StrategyReader } from './strategies.queries.js';
import { StrategiesView, StrategyDetailView } from './strategy.views.js';

@Controller('api/user/strategies')
export class StrategiesController {
  constructor(private readonly reader: StrategyReader) {}

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
}
