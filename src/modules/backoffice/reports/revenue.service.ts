import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../database/replicas.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayRange } from '../../../http/request/date-range.js';
import { Clock } from '../../../common/clock.js';
import { dayOf, startOfDay } from '../../../common/days.js';
import { percentOf } from '../../../common/ratio.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { Figure } from './domain/activity.js';
import { changePercent, feesIn, projectedAnnual } from './domain/key-figures.js';
import {
  DEFAULT_RANGE_DAYS,
  daysIn,
  MAX_POINTS,
  precedingWindow,
  type Period,
  type PeriodWindow,
  type TimeWindow,
} from './domain/periods.js';
import type { ReportQuery } from './dto/reports.request.js';
import { ReportsRepository } from './reports.repository.js';

const FEES: Figure[] = ['managementFees', 'performanceFees'];

/**
 * The platform's income from fees. `percentage` is the strategy's share of all fees, `userCount` the number of users at the end of the
 * day, `revenueGrowth` null without fees in the preceding window. `breakdown` is empty unless the caller asks for the days.
 */
@Injectable()
export class RevenueService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  getRevenue(period: Period, withDays: boolean) {
    const now = this.clock.now();
    return this.readRevenue(now, withDays, (snapshot) => this.reports.getWindow(snapshot, period, now));
  }

  /** Throws INVALID_DATE_RANGE. */
  async getRevenueOfDays(query: ReportQuery, withDays: boolean) {
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const revenue = await this.readRevenue(now, withDays, (snapshot) =>
      this.reports.getDaysWindow(snapshot, range),
    );
    return { period: { startDate: range.from, endDate: range.to }, ...revenue };
  }

  private async readRevenue(
    now: Date,
    withDays: boolean,
    getWindow: (snapshot: Snapshot) => Promise<PeriodWindow>,
  ) {
    const { window, days, activity, byStrategy, asOf } = await this.replicas.read(async (snapshot) => {
      const window = await getWindow(snapshot);
      const bounds = [window.from, window.to];
      const days = withDays ? daysOf(window) : [];
      const boundaries = [
        precedingWindow(window, now).from,
        ...bounds,
        ...days.flatMap(({ from, to }) => [from, to]),
      ];
      const activity = await this.reports.getActivity(snapshot, boundaries, ['users', ...FEES], 'together');
      const byStrategy = await this.reports.getActivity(snapshot, bounds, FEES);
      return { window, days, activity, byStrategy, asOf: await this.reports.getAsOf(snapshot) };
    });
    const fees = feesIn(activity, window);
    return {
      summary: {
        totalRevenue: fees.total,
        managementFees: fees.management,
        performanceFees: fees.performance,
        projectedAnnual: projectedAnnual(fees.total, daysIn(window.existing, now)),
        revenueGrowth: changePercent(feesIn(activity, precedingWindow(window, now)).total, fees.total),
        asOf,
      },
      breakdown: days.map((day) => {
        const { total, management } = feesIn(activity, day);
        const userCount = activity.countAt(day.to, 'users');
        return { date: dayOf(day.from), revenue: total, managementFees: management, userCount };
      }),
      byStrategy: this.strategies.all.map(({ id }) => {
        const { total } = feesIn(byStrategy, window, id);
        return { strategyId: id, revenue: total, percentage: percentOf(total, fees.total) };
      }),
    };
  }
}

/** The UTC days of a window, at most the last `MAX_POINTS`; the first one can be partial. */
function daysOf({ from, to }: TimeWindow): TimeWindow[] {
  const days: TimeWindow[] = [];
  let end = to;
  while (end > from && days.length < MAX_POINTS) {
    const midnight = startOfDay(dayOf(new Date(end.getTime() - 1)));
    const start = midnight < from ? from : midnight;
    days.push({ from: start, to: end });
    end = start;
  }
  return days.reverse();
}
