import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { dayOf, startOfDay } from '../../../common/days.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber, percentOf } from '../../../common/ratio.js';
import { Replicas } from '../../../database/replicas.js';
import type { Snapshot } from '../../../database/snapshots.js';
import { dayRange, failTooLong } from '../../../http/request/date-range.js';
import { topStrategy } from '../../investing/investments/domain/allocation.js';
import { NavsService } from '../../investing/strategies/navs.service.js';
import { StrategiesService } from '../../investing/strategies/strategies.service.js';
import {
  type Activity,
  changePercent,
  feesIn,
  type Figure,
  ledgerValuesAt,
  projectedAnnual,
  shareOf,
  type StrategyValue,
  toCount,
  totalValue,
} from './domain/figures.js';
import {
  daysBeforeEnd,
  daysIn,
  daysWindow,
  DEFAULT_RANGE_DAYS,
  intervalStarts,
  MAX_POINTS,
  type Period,
  type PeriodWindow,
  precedingIntervalStart,
  precedingWindow,
  type TimeWindow,
} from './domain/periods.js';
import type { ReportQuery, UsersReportQuery } from './dto/reports.request.js';
import { type Engagement, ReportsRepository } from './reports.repository.js';
import { StrategyValuesService, VALUE_FIGURES } from './strategy-values.service.js';

const FEES: Figure[] = ['managementFees', 'performanceFees'];
const REPORTED_FIGURES: Figure[] = ['investmentsMade', 'investmentsMadePrincipal', ...VALUE_FIGURES];

interface UserFigures {
  readonly totalUsers: number;
  readonly newUsers: number;
  readonly activeUsers: number;
}

/** The reports about users, investments and revenue. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly replicas: Replicas,
    private readonly reports: ReportsRepository,
    private readonly values: StrategyValuesService,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** New, active and lost users. Throws INVALID_DATE_RANGE. */
  async getUsersReport(query: UsersReportQuery) {
    // Posts missing growth, so that the snapshot contains it. A read replica may show it some seconds later.
    const navs = await this.navs.getCurrentNavs();
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_RANGE_DAYS });
    const window = daysWindow(range.from, range.to);
    const { interval } = query;
    const starts = intervalStarts(window, interval, now) ?? failTooLong(`${MAX_POINTS} intervals`);
    // Both lists begin with the interval before the range: lost users were active in the preceding interval.
    const intervalBounds = [precedingIntervalStart(window.from, interval), ...starts, window.to];
    const rangeBounds = [precedingWindow(window, now).from, window.from, window.to];
    const { activity, strategies, intervalEngagements, rangeEngagements, asOf } = await this.replicas.read(
      async (snapshot) => {
        const boundaries = [...intervalBounds, ...rangeBounds];
        const activity = await this.reports.getActivity(snapshot, boundaries, ['users', 'holders'], 'none');
        return {
          activity,
          intervalEngagements: await this.reports.findEngagement(snapshot, activity, intervalBounds),
          rangeEngagements: await this.reports.findEngagement(snapshot, activity, rangeBounds),
          ...(await this.values.getValues(snapshot, { window, now, navs })),
        };
      },
    );
    const [before, during] = rangeEngagements as [Engagement, Engagement];
    return {
      period: { startDate: range.from, endDate: range.to, interval },
      summary: {
        ...userFigures(activity, window, during),
        retentionRate: shareOf(before.active - during.lost, before.active),
        averageInvestmentPerUser: averageInvestment(strategies, activity.valueAt(window.to, 'holders')),
        asOf,
      },
      dataPoints: starts.map((start, index) => {
        const [preceding, own] = intervalEngagements.slice(index, index + 2) as [Engagement, Engagement];
        return {
          date: interval === 'hourly' ? start.toISOString() : dayOf(start),
          ...userFigures(activity, { from: start, to: intervalBounds[index + 2] as Date }, own),
          churnRate: shareOf(own.lost, preceding.active),
        };
      }),
    };
  }

  /**
   * Number and value of investments. Counts are of investments made, in any state; `averageInvestment` is their mean principal in USDC.
   * Values and yields are those at the end of the range; yields are percent a year. Throws INVALID_DATE_RANGE.
   */
  async getInvestmentsReport(query: ReportQuery) {
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

  /**
   * The platform's income from fees. `percentage` is the strategy's share of all fees, `userCount` the number of users at the end of the
   * day, `revenueGrowth` null without fees in the preceding window. `breakdown` is empty unless the caller asks for the days.
   */
  getRevenue(period: Period, withDays: boolean) {
    const now = this.clock.now();
    return this.readRevenue(now, withDays, (snapshot) => this.reports.getWindow(snapshot, period, now));
  }

  /** As `getRevenue`, of a range of days. Throws INVALID_DATE_RANGE. */
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

function userFigures(activity: Activity, { from, to }: TimeWindow, { active }: Engagement): UserFigures {
  const totalUsers = activity.countAt(to, 'users');
  return { totalUsers, newUsers: totalUsers - activity.countAt(from, 'users'), activeUsers: active };
}

function averageInvestment(strategies: readonly StrategyValue[], holders: Money): Money {
  const total = Money.sum(strategies.map(({ value }) => value));
  return holders.isZero() ? Money.ZERO : total.dividedBy(holders).roundHalfEven(MICRO_SCALE);
}

function toNumber(apy: Money | null | undefined): number | null {
  return apy ? asNumber(apy) : null;
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
