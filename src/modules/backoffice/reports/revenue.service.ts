import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../database/replicas.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayRange, type DayRange } from '../../../http/request/date-range.js';
import { Clock } from '../../../common/clock.js';
import { dayOf, startOfDay, type Day } from '../../../common/days.js';
import type { Money } from '../../../common/money.js';
import { percentOf } from '../../../common/ratio.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import type { Figure } from './domain/activity.js';
import { changePercent, feesIn, projectedAnnual, type Fees } from './domain/key-figures.js';
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
 * `percentage` is the strategy's share of all fees, `userCount` the number of users at the end of the day. `days` is empty
 * unless the caller asks for the days.
 */
export interface Revenue {
  readonly fees: Fees;
  readonly projectedAnnual: Money;
  /** Compared with the preceding window; null without fees in it. */
  readonly feesChangePercent: number | null;
  readonly days: readonly { day: Day; fees: Fees; userCount: number }[];
  readonly byStrategy: readonly { strategyId: string; fees: Fees; percentage: number }[];
  /** The time up to which the figures include every change. */
  readonly asOf: Date;
}

export interface RevenueReport extends Revenue {
  readonly range: DayRange;
}

/** The platform's income from fees. */
@Injectable()
export class RevenueService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  getRevenue(period: Period, withDays: boolean): Promise<Revenue> {
    const now = this.clock.now();
    return this.readRevenue(now, withDays, (snapshot) => this.reports.getWindow(snapshot, period, now));
  }

  /** Throws INVALID_DATE_RANGE. */
  async getRevenueOfDays(query: ReportQuery, withDays: boolean): Promise<RevenueReport> {
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const revenue = await this.readRevenue(now, withDays, (snapshot) =>
      this.reports.getDaysWindow(snapshot, range),
    );
    return { range, ...revenue };
  }

  private async readRevenue(
    now: Date,
    withDays: boolean,
    getWindow: (snapshot: Snapshot) => Promise<PeriodWindow>,
  ): Promise<Revenue> {
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
      fees,
      projectedAnnual: projectedAnnual(fees.total, daysIn(window.existing, now)),
      feesChangePercent: changePercent(feesIn(activity, precedingWindow(window, now)).total, fees.total),
      days: days.map((day) => ({
        day: dayOf(day.from),
        fees: feesIn(activity, day),
        userCount: activity.countAt(day.to, 'users'),
      })),
      byStrategy: this.strategies.all.map(({ id }) => {
        const strategyFees = feesIn(byStrategy, window, id);
        return {
          strategyId: id,
          fees: strategyFees,
          percentage: percentOf(strategyFees.total, fees.total),
        };
      }),
      asOf,
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
