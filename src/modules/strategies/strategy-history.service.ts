import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { dayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { addDays, dayOf, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { NavsService } from './navs.service.js';
import { StrategiesService } from './strategies.service.js';
import { PERIODS, type StrategyHistoryQuery } from './dto/strategy-history.request.js';
import { toStrategyHistoryResponse, type StrategyHistoryResponse } from './dto/strategy-history.response.js';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 1100;

/** How a strategy has done: the values of its unit, as published. */
@Injectable()
export class StrategyHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly strategies: StrategiesService,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /** Throws STRATEGY_NOT_FOUND, INVALID_DATE_RANGE, VALIDATION_ERROR when both period and startDate are given. */
  async of(id: string, query: StrategyHistoryQuery): Promise<StrategyHistoryResponse> {
    const strategy = this.strategies.find(id) ?? fail('STRATEGY_NOT_FOUND');
    if (query.period !== undefined && query.startDate !== undefined)
      fail('VALIDATION_ERROR', [{ field: 'period', message: 'must not stand beside startDate' }]);
    await this.navs.today();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: query.period ?? DEFAULT_DAYS, atMost: MOST_DAYS });
    const today = dayOf(now);
    const compared = PERIODS.map((days) => addDays(today, -days));
    const rows = await this.dataSource.query<{ day: Day; nav: string; apy: string }[]>(
      `select day, nav, apy from strategy_nav
        where strategy_id = $1 and day <= $2
          and (day between $3 and $4 or day = $2 or day = any($5)
               or day = (select min(day) from strategy_nav where strategy_id = $1))
        order by day`,
      [id, today, range.from, range.to, compared],
    );
    const points = rows.map(({ day, nav, apy }) => ({ day, nav: Money.of(nav), apy: Money.of(apy) }));
    return toStrategyHistoryResponse(strategy, range, points);
  }
}
