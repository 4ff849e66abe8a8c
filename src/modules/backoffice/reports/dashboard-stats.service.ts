import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber, percentOf } from '../../../common/ratio.js';
import { Replicas } from '../../../database/replicas.js';
import { splitByWeight } from '../../investing/investments/domain/allocation.js';
import { meanYield } from '../../investing/strategies/domain/apy.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import {
  type Activity,
  changePercent,
  feesIn,
  type Figure,
  projectedAnnual,
  type StrategyValue,
  toCount,
  totalValue,
} from './domain/figures.js';
import { daysIn, type Period, type TimeWindow } from './domain/periods.js';
import { ReportsRepository } from './reports.repository.js';
import { StrategyValuesService } from './strategy-values.service.js';

export interface MeasuredUptime {
  /** Percent of the measured minutes in which the platform was up; null without measured minutes. */
  readonly percent: number | null;
  readonly measuredMinutes: number;
}

type UptimeSource = (from: Date, to: Date) => Promise<MeasuredUptime>;

/** A port to the higher module `sla`, which measures the uptime and registers itself as the source. */
@Injectable()
export class UptimeService {
  private source: UptimeSource = () => Promise.resolve({ percent: null, measuredMinutes: 0 });

  setSource(source: UptimeSource): void {
    this.source = source;
  }

  /** Both times are in real time, not in domain time. */
  getUptime(from: Date, to: Date): Promise<MeasuredUptime> {
    return this.source(from, to);
  }
}

const STATS_FIGURES: Figure[] = [
  'users',
  'holders',
  'investmentsMade',
  'active',
  'pending',
  'managementFees',
  'performanceFees',
  'settled',
  'settledMs',
];

/**
 * The current totals of the platform and the changes of a period. `growth` is the change of the number of users in the period, null if
 * there was none at its start. `averageAPY` is the achieved yield; yields are percent a year, null if no value has one.
 */
@Injectable()
export class DashboardStatsService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly values: StrategyValuesService,
    private readonly navs: NavsService,
    private readonly clock: Clock,
    private readonly uptime: UptimeService,
  ) {}

  async getStats(period: Period) {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    const navs = await this.navs.getCurrentNavs();
    const now = this.clock.now();
    const { window, activity, engagement, strategies, asOf } = await this.replicas.read(async (snapshot) => {
      const window = await this.reports.getWindow(snapshot, period, now);
      const bounds = [window.from, window.to];
      const activity = await this.reports.getActivity(snapshot, bounds, STATS_FIGURES);
      const [engagement] = await this.reports.findEngagement(snapshot, activity, bounds);
      const values = await this.values.getValues(snapshot, { window, now, navs });
      return { window, activity, engagement, ...values };
    });
    const fees = feesIn(activity, window);
    return {
      users: {
        total: activity.countAt(window.to, 'users'),
        active: engagement?.active ?? 0,
        new: toCount(activity.changeIn(window, 'users')),
        growth: changePercent(activity.valueAt(window.from, 'users'), activity.valueAt(window.to, 'users')),
      },
      investments: {
        total: activity.countAt(window.to, 'investmentsMade'),
        active: activity.countAt(window.to, 'active'),
        pending: activity.countAt(window.to, 'pending'),
        totalValue: totalValue(strategies),
      },
      revenue: {
        managementFees: fees.management,
        platformRevenue: fees.total,
        projectedAnnual: projectedAnnual(fees.total, daysIn(window.existing, now)),
      },
      protocols: protocolsOf(strategies),
      performance: {
        averageAPY: meanYield(
          strategies.map(({ strategy, tvl }) => ({
            value: tvl,
            apy: navs.get(strategy.id)?.achievedApy ?? null,
          })),
        ),
        targetApy: meanYield(strategies.map(({ tvl, strategy }) => ({ value: tvl, apy: strategy.apy }))),
        ...(await this.getUptime(window.from, now)),
        avgTransactionTime: meanSettlementMs(activity, window),
      },
      asOf,
    };
  }

  /** The uptime is measured in real time, from which domain time may differ in development. */
  private async getUptime(from: Date, to: Date) {
    const { offsetMs } = this.clock;
    const toRealTime = (at: Date) => new Date(at.getTime() - offsetMs);
    const { percent, measuredMinutes } = await this.uptime.getUptime(toRealTime(from), toRealTime(to));
    return { platformUptime: percent, measuredMinutes };
  }
}

/** The values by protocol as text, and `allocation`, their percentages of the value of all. */
function protocolsOf(values: readonly StrategyValue[]) {
  const shares = values.flatMap(({ strategy, tvl }) => [
    ...splitByWeight(tvl.roundHalfEven(MICRO_SCALE), strategy.protocols),
  ]);
  const names = [...new Set(shares.map(([name]) => name))];
  const total = Money.sum(shares.map(([, share]) => share));
  return Object.fromEntries(
    names.map((name) => {
      const tvl = Money.sum(shares.filter(([protocol]) => protocol === name).map(([, share]) => share));
      return [name, { tvl: tvl.toWire(), allocation: percentOf(tvl, total) }];
    }),
  );
}

/** Mean time from creation to completion of the deposits and withdrawals completed in the window; null without any. */
function meanSettlementMs(activity: Activity, window: TimeWindow): number | null {
  const count = activity.changeIn(window, 'settled');
  return count.isZero() ? null : asNumber(activity.changeIn(window, 'settledMs').dividedBy(count), 0);
}
