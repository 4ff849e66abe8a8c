import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../database/replicas.js';
import { dayRange, failTooLong } from '../../../http/request/date-range.js';
import { Clock } from '../../../common/clock.js';
import { dayOf } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import type { Activity } from './domain/activity.js';
import { shareOf, type StrategyValue } from './domain/key-figures.js';
import {
  daysWindow,
  DEFAULT_RANGE_DAYS,
  intervalStarts,
  MAX_POINTS,
  precedingWindow,
  precedingIntervalStart,
  type TimeWindow,
} from './domain/periods.js';
import type { UsersReportQuery } from './dto/reports.request.js';
import { ReportsRepository, type Engagement } from './reports.repository.js';
import { StrategyValuesService } from './strategy-values.service.js';

interface UserFigures {
  readonly totalUsers: number;
  readonly newUsers: number;
  readonly activeUsers: number;
}

/** New, active and lost users. */
@Injectable()
export class UsersReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly values: StrategyValuesService,
    private readonly navs: NavsService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async getReport(query: UsersReportQuery) {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    const navs = await this.navs.getCurrentNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const window = daysWindow(range.from, range.to);
    const { interval } = query;
    const starts = intervalStarts(window, interval, now) ?? failTooLong(`${MAX_POINTS} intervals`);
    // Both lists begin with the interval before the range: lost users were active in the preceding interval.
    const intervalBounds = [precedingIntervalStart(window.from, interval), ...starts, window.to];
    const rangeBounds = [precedingWindow(window, now).from, window.from, window.to];
    const { activity, strategies, intervalEngagements, rangeEngagements, asOf } = await this.replicas.read(
      async (snapshot) => {
        const boundaries = [...intervalBounds, ...rangeBounds];
        const activity = await this.reports.getActivity(snapshot, boundaries, ['users', 'holders'], 'none');
        return {
          activity,
          intervalEngagements: await this.reports.findEngagement(snapshot, activity, intervalBounds),
          rangeEngagements: await this.reports.findEngagement(snapshot, activity, rangeBounds),
          ...(await this.values.getValues(snapshot, { window, now, navs })),
        };
      },
    );
    const [before, during] = rangeEngagements as [Engagement, Engagement];
    return {
      period: { startDate: range.from, endDate: range.to, interval },
      summary: {
        ...userFigures(activity, window, during),
        retentionRate: shareOf(before.active - during.lost, before.active),
        averageInvestmentPerUser: averageInvestment(strategies, activity.valueAt(window.to, 'holders')),
        asOf,
      },
      dataPoints: starts.map((start, index) => {
        const [preceding, own] = intervalEngagements.slice(index, index + 2) as [Engagement, Engagement];
        return {
          date: interval === 'hourly' ? start.toISOString() : dayOf(start),
          ...userFigures(activity, { from: start, to: intervalBounds[index + 2] as Date }, own),
          churnRate: shareOf(own.lost, preceding.active),
        };
      }),
    };
  }
}

function userFigures(activity: Activity, { from, to }: TimeWindow, { active }: Engagement): UserFigures {
  const totalUsers = activity.countAt(to, 'users');
  return { totalUsers, newUsers: totalUsers - activity.countAt(from, 'users'), activeUsers: active };
}

function averageInvestment(strategies: readonly StrategyValue[], holders: Money): Money {
  const total = Money.sum(strategies.map(({ value }) => value));
  return holders.isZero() ? Money.ZERO : total.dividedBy(holders).roundHalfEven(MICRO_SCALE);
}
