import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { Clock } from '../../common/clock.js';
import { dayOf, startOfDay } from '../../common/days.js';
import { percentOf } from '../../common/ratio.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import type { Activity, Figure } from './activity.js';
import { ActivityQueries } from './activity.queries.js';
import type { RevenueResponse } from './dto/dashboard.response.js';
import { growthPercent } from './growth.js';
import { daysIn, MOST_POINTS, preceding, type Period, type Window } from './periods.js';
import { feesIn, projectedAnnual } from './revenue.js';

const FEES: Figure[] = ['managementFees', 'performanceFees'];

/** What the platform earned, in a period and day by day. */
@Injectable()
export class RevenueService {
  constructor(
    private readonly replicas: Replicas,
    private readonly activities: ActivityQueries,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  async of(period: Period, breakdown: boolean): Promise<RevenueResponse> {
    const now = this.clock.now();
    const { window, days, activity, ofStrategies } = await this.replicas.read(async (snapshot) => {
      const window = await this.activities.window(snapshot, period, now);
      const days = breakdown ? daysOf(window) : [];
      const moments = [preceding(window, now).from, window.from, window.to];
      const ends = days.flatMap(({ from, to }) => [from, to]);
      return {
        window,
        days,
        activity: await this.activities.at(snapshot, [...moments, ...ends], ['users', ...FEES], 'together'),
        ofStrategies: await this.activities.at(snapshot, [window.from, window.to], FEES),
      };
    });
    const fees = feesIn(activity, window);
    const before = feesIn(activity, preceding(window, now));
    return {
      summary: {
        totalRevenue: fees.total.toWire(),
        managementFees: fees.management.toWire(),
        performanceFees: fees.performance.toWire(),
        projectedAnnual: projectedAnnual(fees.total, daysIn(window, now)).toWire(),
        revenueGrowth: growthPercent(before.total, fees.total),
      },
      breakdown: days.map((day) => toDayResponse(activity, day)),
      byStrategy: this.strategies.all.map(({ id }) => {
        const { total } = feesIn(ofStrategies, window, id);
        return { strategyId: id, revenue: total.toWire(), percentage: percentOf(total, fees.total) };
      }),
    };
  }
}

/** The UTC days of a period, cut to it; no more than the last of a long one. */
function daysOf({ from, to }: Window): Window[] {
  const days: Window[] = [];
  for (let end = to; end > from && days.length < MOST_POINTS;) {
    const day = startOfDay(dayOf(new Date(end.getTime() - 1)));
    const start = day < from ? from : day;
    days.push({ from: start, to: end });
    end = start;
  }
  return days.reverse();
}

function toDayResponse(activity: Activity, day: Window): RevenueResponse['breakdown'][number] {
  const { management, total } = feesIn(activity, day);
  return {
    date: dayOf(day.from),
    revenue: total.toWire(),
    managementFees: management.toWire(),
    userCount: activity.countBy(day.to, 'users'),
  };
}
