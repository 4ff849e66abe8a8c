import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../database/replicas.js';
import { dayRange } from '../../../http/request/date-range.js';
import { Clock } from '../../../common/clock.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber } from '../../../common/ratio.js';
import { topStrategy } from '../../investing/investments/domain/allocation.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { toCount, type Figure } from './domain/activity.js';
import { daysBeforeEnd, daysWindow, DEFAULT_RANGE_DAYS } from './domain/periods.js';
import { changePercent, ledgerValuesAt, totalValue } from './domain/key-figures.js';
import type { ReportQuery } from './dto/reports.request.js';
import { ReportsRepository } from './reports.repository.js';
import { StrategyValuesService, VALUE_FIGURES } from './strategy-values.service.js';

const REPORTED_FIGURES: Figure[] = ['investmentsMade', 'investmentsMadePrincipal', ...VALUE_FIGURES];

/**
 * Number and value of investments. Counts are of investments made, in any state; `averageInvestment` is their mean principal in USDC.
 * Values and yields are those at the end of the range; yields are percent a year.
 */
@Injectable()
export class InvestmentsReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly values: StrategyValuesService,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async getReport(query: ReportQuery) {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    const navs = await this.navs.getCurrentNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const window = daysWindow(range.from, range.to);
    const weekAgo = daysBeforeEnd(window, now, 7);
    const monthAgo = daysBeforeEnd(window, now, 30);
    const boundaries = [monthAgo, weekAgo, window.from, window.to];
    const { activity, strategies, achievedApys, asOf } = await this.replicas.read(async (snapshot) => {
      const activity = await this.reports.getActivity(snapshot, boundaries, REPORTED_FIGURES);
      const valued = { window, now, navs };
      const achievedApys = await this.values.getAchievedApys(snapshot, valued);
      return { activity, achievedApys, ...(await this.values.getValues(snapshot, valued, activity)) };
    });
    const currentValue = totalValue(strategies);
    const changeSince = (moment: Date) =>
      changePercent(totalValue(ledgerValuesAt(activity, moment, this.strategies.all)), currentValue);
    const count = activity.valueAt(window.to, 'investmentsMade'); // as `Money`, for the exact average
    const totalAmount = activity.valueAt(window.to, 'investmentsMadePrincipal');
    return {
      summary: {
        totalInvestments: toCount(count),
        newInvestments: toCount(activity.changeIn(window, 'investmentsMade')),
        totalValue: currentValue,
        averageInvestment: count.isZero()
          ? Money.ZERO
          : totalAmount.dividedBy(count).roundHalfEven(MICRO_SCALE),
        topStrategy: topStrategy(
          strategies.map(({ strategy, value }) => ({ strategyId: strategy.id, value })),
        ),
        asOf,
      },
      byStrategy: strategies.map(({ strategy, tvl }) => ({
        strategyId: strategy.id,
        count: activity.countAt(window.to, 'investmentsMade', strategy.id),
        tvl: tvl.roundHalfEven(MICRO_SCALE),
        averageAPY: toNumber(achievedApys.get(strategy.id)),
        targetApy: asNumber(strategy.apy),
      })),
      // Null if the value was zero at that time.
      trends: { weekOverWeek: changeSince(weekAgo), monthOverMonth: changeSince(monthAgo) },
    };
  }
}

function toNumber(apy: Money | null | undefined): number | null {
  return apy ? asNumber(apy) : null;
}
