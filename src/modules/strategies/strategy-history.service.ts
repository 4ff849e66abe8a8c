import { Injectable } from '@nestjs/common';
import { dayRange, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Strategy } from './entities/strategy.entity.js';
import type { StrategyHistoryQuery } from './dto/strategies.request.js';
import { NavsRepository } from './navs.repository.js';
import { NavsService } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import { HISTORY_PERIODS, type NavPoint } from './strategies.types.js';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 1100;

export interface StrategyHistory {
  readonly strategy: Strategy;
  readonly range: DayRange;
  /** In the order of days: the range, the days that returns are counted from, and today as the last. */
  readonly points: readonly NavPoint[];
}

/** Published values of a strategy's unit. */
@Injectable()
export class StrategyHistoryService {
  constructor(
    private readonly repository: NavsRepository,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /** Throws STRATEGY_NOT_FOUND, INVALID_DATE_RANGE, and VALIDATION_ERROR if period and startDate are both given. */
  async history(id: string, query: StrategyHistoryQuery): Promise<StrategyHistory> {
    const strategy = this.strategies.findListedStrategy(id) ?? fail('STRATEGY_NOT_FOUND');
    if (query.period !== undefined && query.startDate !== undefined)
      fail('VALIDATION_ERROR', [{ field: 'period', message: 'cannot be combined with startDate' }]);
    await this.navs.publishMissingNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: query.period ?? DEFAULT_DAYS, atMost: MOST_DAYS });
    const today = dayOf(now);
    const compared = HISTORY_PERIODS.map((days) => addDays(today, -days));
    const points = await this.repository.findNavPoints(id, range, today, compared);
    return { strategy, range, points };
  }
}
