import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import { splitByWeight } from '../strategies/domain/allocation.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { toCount, type Activity, type Figure } from './domain/activity.js';
import { daysIn, precedingWindow, type Period, type TimeWindow } from './domain/periods.js';
import {
  changePercent,
  feesIn,
  projectedAnnual,
  strategyTvlsAt,
  totalTvl,
  weightedRate,
  type Fees,
  type StrategyTvl,
} from './domain/key-figures.js';
import { ReportsRepository } from './reports.repository.js';
import { UptimeService, type MeasuredUptime } from './uptime.service.js';

const STATS_FIGURES: Figure[] = [
  'users',
  'holders',
  'investmentsMade',
  'active',
  'pending',
  'principal',
  'accrued',
  'managementFees',
  'performanceFees',
  'settled',
  'settledMs',
];

/**
 * `newUsersChangePercent` compares with the preceding window and is null without new users in it. `averageApy` is percent a
 * year, `allocation` percent of the value of all protocols.
 */
export interface DashboardStats {
  readonly users: { total: number; active: number; new: number; newUsersChangePercent: number | null };
  readonly investments: { total: number; active: number; pending: number; totalValue: Money };
  readonly fees: Fees;
  readonly projectedAnnual: Money;
  readonly protocols: readonly { name: string; tvl: Money; allocation: number }[];
  readonly averageApy: number;
  readonly uptime: MeasuredUptime;
  /** Mean time from creation to completion of the deposits and withdrawals completed in the period; null without any. */
  readonly meanSettlementMs: number | null;
  /** The time up to which the figures include every change. */
  readonly asOf: Date;
}

/** The current totals of the platform and the changes of a period. */
@Injectable()
export class DashboardStatsService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
    private readonly uptime: UptimeService,
  ) {}

  async getStats(period: Period): Promise<DashboardStats> {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    await this.navs.publishMissingNavs();
    const now = this.clock.now();
    const { window, activity, engagement, meanRateOf, asOf } = await this.replicas.read(async (snapshot) => {
      const window = await this.reports.getWindow(snapshot, period, now);
      const bounds = [window.from, window.to];
      const boundaries = [precedingWindow(window, now).from, ...bounds];
      const activity = await this.reports.getActivity(snapshot, boundaries, STATS_FIGURES);
      const [engagement] = await this.reports.findEngagement(snapshot, activity, bounds);
      const meanRateOf = await this.reports.getMeanRates(snapshot, window);
      return { window, activity, engagement, meanRateOf, asOf: await this.reports.getAsOf(snapshot) };
    });
    const tvls = strategyTvlsAt(activity, window.to, this.strategies.all);
    const newUsers = activity.changeIn(window, 'users');
    const fees = feesIn(activity, window);
    return {
      users: {
        total: activity.countAt(window.to, 'users'),
        active: engagement?.active ?? 0,
        new: toCount(newUsers),
        newUsersChangePercent: changePercent(
          activity.changeIn(precedingWindow(window, now), 'users'),
          newUsers,
        ),
      },
      investments: {
        total: activity.countAt(window.to, 'investmentsMade'),
        active: this.activeInvestments(activity, window.to),
        pending: activity.countAt(window.to, 'pending'),
        totalValue: totalTvl(tvls),
      },
      fees,
      projectedAnnual: projectedAnnual(fees.total, daysIn(window, now)),
      protocols: protocolsOf(tvls),
      averageApy: weightedRate(tvls, meanRateOf),
      uptime: await this.getUptime(window.from, now),
      meanSettlementMs: meanSettlementMs(activity, window),
      asOf,
    };
  }

  /** The uptime is measured in real time, from which domain time may differ in development. */
  private getUptime(from: Date, to: Date): Promise<MeasuredUptime> {
    const { offsetMs } = this.clock;
    const toRealTime = (at: Date) => new Date(at.getTime() - offsetMs);
    return this.uptime.uptimeBetween(toRealTime(from), toRealTime(to));
  }

  /** Investments of suspended strategies are paused, not active. */
  private activeInvestments(activity: Activity, at: Date): number {
    const earning = this.strategies.all.filter(({ id }) => !this.strategies.isSuspended(id));
    return toCount(Money.sum(earning.map(({ id }) => activity.valueAt(at, 'active', id))));
  }
}

function protocolsOf(tvls: readonly StrategyTvl[]): DashboardStats['protocols'] {
  const shares = tvls.flatMap(({ strategy, tvl }) => [...splitByWeight(tvl, strategy.protocols)]);
  const names = [...new Set(shares.map(([name]) => name))];
  const total = totalTvl(tvls);
  return names.map((name) => {
    const tvl = Money.sum(shares.filter(([protocol]) => protocol === name).map(([, share]) => share));
    return { name, tvl, allocation: percentOf(tvl, total) };
  });
}

function meanSettlementMs(activity: Activity, window: TimeWindow): number | null {
  const count = activity.changeIn(window, 'settled');
  return count.isZero() ? null : asNumber(activity.changeIn(window, 'settledMs').dividedBy(count), 0);
}
