import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { Clock } from '../../common/clock.js';
import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import { allocate } from '../strategies/domain/allocation.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { countOf, FIGURES, type Activity, type Figure } from './domain/activity.js';
import { feesIn, growthPercent, projectedAnnual, type Fees } from './domain/fees.js';
import { daysIn, preceding, type Period, type TimeWindow } from './domain/periods.js';
import { strategyTvlsAt, totalTvl, weightedRate, type StrategyTvl } from './domain/strategy-tvl.js';
import { ReportsRepository } from './reports.repository.js';
import { UptimeService, type MeasuredUptime } from './uptime.service.js';

const ALL_FIGURES = Object.keys(FIGURES) as Figure[];

export interface DashboardStats {
  readonly users: { total: number; active: number; new: number; growth: number | null };
  readonly investments: { total: number; active: number; pending: number; totalValue: Money };
  readonly fees: Fees;
  readonly projectedAnnual: Money;
  readonly protocols: readonly { name: string; tvl: Money; allocation: number }[];
  readonly averageApy: number;
  readonly uptime: MeasuredUptime;
  readonly transactionMs: number | null;
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
    await this.navs.publishMissingNavs(); // posts growth that the snapshot would not contain otherwise
    const now = this.clock.now();
    const { window, activity, engagement, rateOf } = await this.replicas.read(async (snapshot) => {
      const window = await this.reports.getWindow(snapshot, period, now);
      const ends = [window.from, window.to];
      const moments = [preceding(window, now).from, ...ends];
      const activity = await this.reports.getActivity(snapshot, moments, ALL_FIGURES);
      const [engagement] = await this.reports.findEngagement(snapshot, activity, ends);
      return { window, activity, engagement, rateOf: await this.reports.getMeanRates(snapshot, window) };
    });
    const tvls = strategyTvlsAt(activity, window.to, this.strategies.all);
    const newUsers = activity.changeIn(window, 'users');
    const fees = feesIn(activity, window);
    return {
      users: {
        total: activity.countAt(window.to, 'users'),
        active: engagement?.active ?? 0,
        new: countOf(newUsers),
        growth: growthPercent(activity.changeIn(preceding(window, now), 'users'), newUsers),
      },
      investments: {
        total: activity.countAt(window.to, 'made'),
        active: this.activeInvestments(activity, window.to),
        pending: activity.countAt(window.to, 'pending'),
        totalValue: totalTvl(tvls),
      },
      fees,
      projectedAnnual: projectedAnnual(fees.total, daysIn(window, now)),
      protocols: protocolsOf(tvls),
      averageApy: weightedRate(tvls, rateOf),
      uptime: await this.uptime.uptimeBetween(window.from, now),
      transactionMs: meanTransactionMs(activity, window),
    };
  }

  /** Investments of suspended strategies are paused, not active. */
  private activeInvestments(activity: Activity, now: Date): number {
    const earning = this.strategies.all.filter(({ id }) => !this.strategies.isSuspended(id));
    return countOf(Money.sum(earning.map(({ id }) => activity.valueAt(now, 'active', id))));
  }
}

function protocolsOf(tvls: readonly StrategyTvl[]): DashboardStats['protocols'] {
  const shares = tvls.flatMap(({ strategy, tvl }) => [...allocate(tvl, strategy.protocols)]);
  const names = [...new Set(shares.map(([name]) => name))];
  const total = totalTvl(tvls);
  return names.map((name) => {
    const tvl = Money.sum(shares.filter(([other]) => other === name).map(([, share]) => share));
    return { name, tvl, allocation: percentOf(tvl, total) };
  });
}

function meanTransactionMs(activity: Activity, window: TimeWindow): number | null {
  const count = activity.changeIn(window, 'settled');
  return count.isZero() ? null : asNumber(activity.changeIn(window, 'settledMs').dividedBy(count), 0);
}
