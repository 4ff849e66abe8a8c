import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import { allocate } from '../strategies/domain/allocation.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { countOf, FIGURES, type Activity, type Figure } from './activity.js';
import { ActivityQueries, type Engagement } from './activity.queries.js';
import type { DashboardStatsResponse } from './dto/dashboard.response.js';
import { growthPercent } from './growth.js';
import { daysIn, preceding, type Period, type Window } from './periods.js';
import { meanRates } from './rates.queries.js';
import { feesIn, projectedAnnual } from './revenue.js';
import { standingsBy, totalOf, weightedRate, type Standing } from './standing.js';
import { Uptime } from './uptime.js';

const ALL = Object.keys(FIGURES) as Figure[];

/** The admins' first page: how the platform stands and what a period brought. */
@Injectable()
export class DashboardStatsService {
  constructor(
    private readonly replicas: Replicas,
    private readonly activities: ActivityQueries,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
    private readonly uptime: Uptime,
  ) {}

  async of(period: Period): Promise<DashboardStatsResponse> {
    await this.navs.today(); // a snapshot does not see growth that is posted later
    const now = this.clock.now();
    const read = await this.replicas.read(async (snapshot) => {
      const window = await this.activities.window(snapshot, period, now);
      const moments = [window.from, window.to];
      const activity = await this.activities.at(snapshot, [preceding(window, now).from, ...moments], ALL);
      const engaged = await this.activities.engagement(snapshot, activity, moments);
      return { window, activity, engaged, rateOf: await meanRates(snapshot, window) };
    });
    const { window, activity } = read;
    const uptime = await this.uptime.between(window.from, now);
    const standings = standingsBy(activity, window.to, this.strategies.all);
    return {
      users: usersOf(activity, window, preceding(window, now), read.engaged),
      investments: this.investmentsOf(activity, window.to, standings),
      revenue: revenueOf(activity, window, daysIn(window, now)),
      protocols: protocolsOf(standings),
      performance: {
        averageAPY: weightedRate(standings, read.rateOf),
        platformUptime: uptime.percent,
        measuredMinutes: uptime.measuredMinutes,
        avgTransactionTime: transactionTimeOf(activity, window),
      },
    };
  }

  private investmentsOf(
    activity: Activity,
    now: Date,
    standings: readonly Standing[],
  ): DashboardStatsResponse['investments'] {
    const earning = standings.filter(({ strategy }) => !this.strategies.isSuspended(strategy.id));
    const active = Money.sum(earning.map(({ strategy }) => activity.by(now, 'active', strategy.id)));
    return {
      total: activity.countBy(now, 'made'),
      active: countOf(active),
      pending: activity.countBy(now, 'pending'),
      totalValue: totalOf(standings).toWire(),
    };
  }
}

function usersOf(
  activity: Activity,
  window: Window,
  before: Window,
  [engaged]: readonly Engagement[],
): DashboardStatsResponse['users'] {
  const added = activity.between(window, 'users');
  return {
    total: activity.countBy(window.to, 'users'),
    active: engaged?.active ?? 0,
    new: countOf(added),
    growth: growthPercent(activity.between(before, 'users'), added),
  };
}

function revenueOf(activity: Activity, window: Window, days: number): DashboardStatsResponse['revenue'] {
  const { management, total } = feesIn(activity, window);
  return {
    managementFees: management.toWire(),
    platformRevenue: total.toWire(),
    projectedAnnual: projectedAnnual(total, days).toWire(),
  };
}

function protocolsOf(standings: readonly Standing[]): DashboardStatsResponse['protocols'] {
  const shares = standings.flatMap(({ strategy, tvl }) => [...allocate(tvl, strategy.protocols)]);
  const names = [...new Set(shares.map(([name]) => name))];
  const total = totalOf(standings);
  return Object.fromEntries(
    names.map((name) => {
      const tvl = Money.sum(shares.filter(([other]) => other === name).map(([, share]) => share));
      return [name, { tvl: tvl.toWire(), allocation: percentOf(tvl, total) }];
    }),
  );
}

function transactionTimeOf(activity: Activity, window: Window): number | null {
  const count = activity.between(window, 'settled');
  return count.isZero() ? null : asNumber(activity.between(window, 'settledMs').dividedBy(count), 0);
}
