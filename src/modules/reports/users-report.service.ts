import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { dayRange, failTooLong } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { dayOf } from '../../common/days.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import type { Activity } from './activity.js';
import { ActivityQueries, type Engagement } from './activity.queries.js';
import { shareOf } from './growth.js';
import {
  beginningBefore,
  beginningsOf,
  daysWindow,
  MOST_POINTS,
  preceding,
  type ReportInterval,
  type Window,
} from './periods.js';
import type { UsersReportQuery } from './dto/reports.request.js';
import type { UsersReportResponse } from './dto/report.response.js';

/** The default range includes both its first and its last day: it starts 30 days before its end. */
export const DEFAULT_DAYS = 31;

/** Users who came, stayed and left. */
@Injectable()
export class UsersReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly activities: ActivityQueries,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async of(query: UsersReportQuery): Promise<UsersReportResponse> {
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_DAYS });
    const window = daysWindow(range.from, range.to);
    const { interval } = query;
    const starts = beginningsOf(window, interval, now) ?? failTooLong(`${MOST_POINTS} intervals`);
    const points = [beginningBefore(window.from, interval), ...starts, window.to];
    const whole = [preceding(window, now).from, window.from, window.to];
    const read = await this.replicas.read(async (snapshot) => {
      const moments = [...points, ...whole];
      const activity = await this.activities.at(snapshot, moments, ['users', 'holders'], 'none');
      const invested = await this.activities.at(snapshot, [window.to], ['principal'], 'together');
      return {
        activity,
        principal: invested.by(window.to, 'principal'),
        ofPoints: await this.activities.engagement(snapshot, activity, points),
        ofWhole: await this.activities.engagement(snapshot, activity, whole),
      };
    });
    return {
      period: { startDate: range.from, endDate: range.to, interval },
      summary: toSummaryResponse(read, window),
      dataPoints: starts.map((from, index) =>
        toPointResponse(
          read.activity,
          { from, to: points[index + 2] as Date },
          interval,
          read.ofPoints.slice(index, index + 2) as [Engagement, Engagement],
        ),
      ),
    };
  }
}

function toSummaryResponse(
  { activity, principal, ofWhole }: { activity: Activity; principal: Money; ofWhole: readonly Engagement[] },
  window: Window,
): UsersReportResponse['summary'] {
  const [before, during] = ofWhole as [Engagement, Engagement];
  const holders = activity.by(window.to, 'holders');
  const average = holders.isZero() ? Money.ZERO : principal.dividedBy(holders).roundHalfEven(MICRO_SCALE);
  return {
    totalUsers: activity.countBy(window.to, 'users'),
    newUsers: newUsersIn(activity, window),
    activeUsers: during.active,
    retentionRate: shareOf(before.active - during.lost, before.active),
    averageInvestmentPerUser: average.toWire(),
  };
}

function toPointResponse(
  activity: Activity,
  window: Window,
  interval: ReportInterval,
  [before, during]: readonly [Engagement, Engagement],
): UsersReportResponse['dataPoints'][number] {
  return {
    date: interval === 'hourly' ? window.from.toISOString() : dayOf(window.from),
    totalUsers: activity.countBy(window.to, 'users'),
    newUsers: newUsersIn(activity, window),
    activeUsers: during.active,
    churnRate: shareOf(during.lost, before.active),
  };
}

function newUsersIn(activity: Activity, { from, to }: Window): number {
  return activity.countBy(to, 'users') - activity.countBy(from, 'users');
}
