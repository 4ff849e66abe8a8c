import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { dayRange, failTooLong, type DayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import type { Activity } from './domain/activity.js';
import { shareOf } from './domain/key-figures.js';
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

interface UserFigures {
  readonly totalUsers: number;
  readonly newUsers: number;
  readonly activeUsers: number;
}

export interface UsersReport {
  readonly range: DayRange;
  readonly summary: UserFigures & { retentionRate: number | null; averageInvestmentPerUser: Money };
  readonly intervals: readonly (UserFigures & { start: Date; churnRate: number | null })[];
  /** The time up to which the figures include every change. */
  readonly asOf: Date;
}

/** New, active and lost users. */
@Injectable()
export class UsersReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async getReport(query: UsersReportQuery): Promise<UsersReport> {
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const window = daysWindow(range.from, range.to);
    const { interval } = query;
    const starts = intervalStarts(window, interval, now) ?? failTooLong(`${MAX_POINTS} intervals`);
    // Both lists begin with the interval before the range: lost users were active in the preceding interval.
    const intervalBounds = [precedingIntervalStart(window.from, interval), ...starts, window.to];
    const rangeBounds = [precedingWindow(window, now).from, window.from, window.to];
    const { activity, principal, intervalEngagements, rangeEngagements, asOf } = await this.replicas.read(
      async (snapshot) => {
        const boundaries = [...intervalBounds, ...rangeBounds];
        const activity = await this.reports.getActivity(snapshot, boundaries, ['users', 'holders'], 'none');
        const invested = await this.reports.getActivity(snapshot, [window.to], ['principal'], 'together');
        return {
          activity,
          principal: invested.valueAt(window.to, 'principal'),
          intervalEngagements: await this.reports.findEngagement(snapshot, activity, intervalBounds),
          rangeEngagements: await this.reports.findEngagement(snapshot, activity, rangeBounds),
          asOf: await this.reports.getAsOf(snapshot),
        };
      },
    );
    const [before, during] = rangeEngagements as [Engagement, Engagement];
    return {
      range,
      asOf,
      summary: {
        ...userFigures(activity, window, during),
        retentionRate: shareOf(before.active - during.lost, before.active),
        averageInvestmentPerUser: averageInvestment(principal, activity.valueAt(window.to, 'holders')),
      },
      intervals: starts.map((start, index) => {
        const [before, during] = intervalEngagements.slice(index, index + 2) as [Engagement, Engagement];
        return {
          start,
          ...userFigures(activity, { from: start, to: intervalBounds[index + 2] as Date }, during),
          churnRate: shareOf(during.lost, before.active),
        };
      }),
    };
  }
}

function userFigures(activity: Activity, { from, to }: TimeWindow, { active }: Engagement): UserFigures {
  const totalUsers = activity.countAt(to, 'users');
  return { totalUsers, newUsers: totalUsers - activity.countAt(from, 'users'), activeUsers: active };
}

function averageInvestment(principal: Money, holders: Money): Money {
  return holders.isZero() ? Money.ZERO : principal.dividedBy(holders).roundHalfEven(MICRO_SCALE);
}
