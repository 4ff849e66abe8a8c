import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { dayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { asNumber } from '../../common/ratio.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { toCount, type Figure } from './domain/activity.js';
import { daysBeforeEnd, daysWindow, DEFAULT_RANGE_DAYS } from './domain/periods.js';
import { changePercent, strategyTvlsAt, totalTvl, type StrategyTvl } from './domain/key-figures.js';
import type { ReportQuery } from './dto/reports.request.js';
import { ReportsRepository } from './reports.repository.js';

const REPORTED_FIGURES: Figure[] = ['investmentsMade', 'investmentsMadeAmount', 'principal', 'accrued'];

/**
 * Counts are of investments made, in any state; `averageAmount` is their mean initial principal in USDC. `totalValue` and `tvl`
 * are at the end of the range; APY is in percent a year.
 */
export interface InvestmentsReport {
  readonly count: number;
  readonly newCount: number;
  readonly totalValue: Money;
  readonly averageAmount: Money;
  readonly topStrategyId: string | null;
  readonly byStrategy: readonly { strategyId: string; count: number; tvl: Money; averageApy: number }[];
  /** The change of `totalValue` in the 7 days before the end of the range; null if it was zero 7 days before. */
  readonly weeklyChangePercent: number | null;
  /** The same for the 30 days before the end of the range. */
  readonly monthlyChangePercent: number | null;
  /** The time up to which the figures include every change. */
  readonly asOf: Date;
}

/** Number and value of investments. */
@Injectable()
export class InvestmentsReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async getReport(query: ReportQuery): Promise<InvestmentsReport> {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    await this.navs.publishMissingNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const window = daysWindow(range.from, range.to);
    const weekAgo = daysBeforeEnd(window, now, 7);
    const monthAgo = daysBeforeEnd(window, now, 30);
    const boundaries = [monthAgo, weekAgo, window.from, window.to];
    const { activity, meanRateOf, asOf } = await this.replicas.read(async (snapshot) => ({
      activity: await this.reports.getActivity(snapshot, boundaries, REPORTED_FIGURES),
      meanRateOf: await this.reports.getMeanRates(snapshot, window),
      asOf: await this.reports.getAsOf(snapshot),
    }));
    const tvls = strategyTvlsAt(activity, window.to, this.strategies.all);
    const totalValue = totalTvl(tvls);
    const changeSince = (moment: Date) =>
      changePercent(totalTvl(strategyTvlsAt(activity, moment, this.strategies.all)), totalValue);
    const count = activity.valueAt(window.to, 'investmentsMade'); // as `Money`, for the exact average
    const totalAmount = activity.valueAt(window.to, 'investmentsMadeAmount');
    return {
      count: toCount(count),
      newCount: toCount(activity.changeIn(window, 'investmentsMade')),
      totalValue,
      averageAmount: count.isZero() ? Money.ZERO : totalAmount.dividedBy(count).roundHalfEven(MICRO_SCALE),
      topStrategyId: topStrategyId(tvls),
      byStrategy: tvls.map(({ strategy, tvl }) => ({
        strategyId: strategy.id,
        count: activity.countAt(window.to, 'investmentsMade', strategy.id),
        tvl,
        averageApy: asNumber(meanRateOf(strategy)),
      })),
      weeklyChangePercent: changeSince(weekAgo),
      monthlyChangePercent: changeSince(monthAgo),
      asOf,
    };
  }
}

/** The strategy with the highest value locked; null if none has any. */
function topStrategyId(tvls: readonly StrategyTvl[]): string | null {
  let top: StrategyTvl | null = null;
  for (const candidate of tvls)
    if (candidate.tvl.isPositive() && (!top || top.tvl.isLessThan(candidate.tvl))) top = candidate;
  return top ? top.strategy.id : null;
}
