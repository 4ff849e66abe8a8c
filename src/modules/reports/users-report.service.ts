import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { dayRange, failTooLong } from '../../http/validation/day-range.js';
import { Clock } from '../../kernel/clock.js';
import { dayOf } from '../../kernel/days.js';
import { MICRO_SCALE, Money } from '../../kernel/money.js';
import { countOf, type Activity, type Figure } from './activity.js';
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
import type { UsersReportQuery } from './reports.dto.js';
import type { UsersReportView } from './report.views.js';

/** The contract's default start lies so many days before the end, which is one more day of the range. */
export const DEFAULT_DAYS = 31;

const FIGURES_READ: Figure[] = ['users', 'holders', 'principal'];

/** Users who came, stayed and left. */
@Injectable()
export class UsersReport {
  constructor(
    private readonly replicas: Replicas,
    private readonly activities: ActivityQueries,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async of(query: UsersReportQuery): Promise<UsersReportView> {
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_DAYS });
    const window = daysWindow(range.from, range.to);
    const { interval } = query;
    const starts = beginningsOf(window, interval, now) ?? failTooLong(`${MOST_POINTS} intervals`);
    const points = [beginningBefore(window.from, interval), ...starts, window.to];
    const whole = [preceding(window, now).from, window.from, window.to];
    const read = await this.replicas.read(async (snapshot) => {
      const activity = await this.activities.at(snapshot, [...points, ...whole], FIGURES_READ, {
        byStrategy: false,
      });
      return {
        activity,
        ofPoints: await this.activities.engagement(snapshot, activity, points),
        ofWhole: await this.activities.engagement(snapshot, activity, whole),
      };
    });
    return {
      period: { startDate: range.from, endDate: range.to, interval },
      summary: summaryView(read.activity, window, read.ofWhole),
      dataPoints: starts.map((from, index) =>
        pointView(
          read.activity,
          { from, to: points[index + 2] as Date },
          interval,
          read.ofPoints.slice(index, index + 2) as [Engagement, Engagement],
        ),
      ),
    };
  }
}

function summaryView(
  activity: Activity,
  window: Window,
  engaged: readonly Engagement[],
): UsersReportView['summary'] {
  const [before, during] = engaged as [Engagement, Engagement];
  const holders = activity.by(window.to, 'holders');
  const average = holders.isZero()
    ? Money.ZERO
    : activity.by(window.to, 'principal').dividedBy(holders).roundHalfEven(MICRO_SCALE);
  return {
    totalUsers: countOf(activity.by(window.to, 'users')),
    newUsers: countOf(activity.between(window, 'users')),
    activeUsers: during.active,
    retentionRate: shareOf(before.active - during.lost, before.active),
    averageInvestmentPerUser: average.toWire(),
  };
}

function pointView(
  activity: Activity,
  window: Window,
  interval: ReportInterval,
  [before, during]: readonly [Engagement, Engagement],
): UsersReportView['dataPoints'][number] {
  return {
    date: interval === 'hourly' ? window.from.toISOString() : dayOf(window.from),
    totalUsers: countOf(activity.by(window.to, 'users')),
    newUsers: countOf(activity.between(window, 'users')),
    activeUsers: during.active,
    churnRate: shareOf(during.lost, before.active),
  };
}
