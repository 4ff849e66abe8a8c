import { Injectable } from '@nestjs/common';
import { Replicas } from '../../database/replicas.js';
import { dayRange } from '../../http/request/date-range.js';
import { Clock } from '../../common/clock.js';
import { MICRO_SCALE, Money } from '../../common/money.js';
import { asNumber } from '../../common/ratio.js';
import { NavsService } from '../strategies/navs.service.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { countOf, type Activity, type Figure } from './activity.js';
import { ActivityQueries } from './activity.queries.js';
import { growthPercent } from './growth.js';
import { daysBeforeEnd, daysWindow, type Window } from './periods.js';
import { meanRates } from './rates.queries.js';
import type { ReportQuery } from './dto/reports.request.js';
import type { InvestmentsReportResponse } from './dto/report.response.js';
import { standingsBy, totalOf, type Standing } from './standing.js';
import { DEFAULT_DAYS } from './users-report.service.js';

const WEEK = 7;
const MONTH = 30;

const FIGURES_READ: Figure[] = ['made', 'madeAmount', 'principal', 'accrued'];

/** What was invested, and what it is worth. */
@Injectable()
export class InvestmentsReportService {
  constructor(
    private readonly replicas: Replicas,
    private readonly activities: ActivityQueries,
    private readonly navs: NavsService,
    private readonly strategies: StrategiesService,
    private readonly clock: Clock,
  ) {}

  /** Throws INVALID_DATE_RANGE. */
  async of(query: ReportQuery): Promise<InvestmentsReportResponse> {
    await this.navs.today(); // a snapshot does not see growth that is posted later
    const now = this.clock.now();
    const range = dayRange(query, now, { lastDays: DEFAULT_DAYS });
    const window = daysWindow(range.from, range.to);
    const [weekAgo, monthAgo] = [WEEK, MONTH].map((days) => daysBeforeEnd(window, now, days)) as [Date, Date];
    const { activity, rateOf } = await this.replicas.read(async (snapshot) => ({
      activity: await this.activities.at(snapshot, [monthAgo, weekAgo, window.from, window.to], FIGURES_READ),
      rateOf: await meanRates(snapshot, window),
    }));
    const standings = standingsBy(activity, window.to, this.strategies.all);
    const total = totalOf(standings);
    const totalBy = (moment: Date) => totalOf(standingsBy(activity, moment, this.strategies.all));
    return {
      summary: toSummaryResponse(activity, window, standings),
      byStrategy: standings.map(({ strategy, tvl }) => ({
        strategyId: strategy.id,
        count: activity.countBy(window.to, 'made', strategy.id),
        tvl: tvl.toWire(),
        averageAPY: asNumber(rateOf(strategy)),
      })),
      trends: {
        weekOverWeek: growthPercent(totalBy(weekAgo), total),
        monthOverMonth: growthPercent(totalBy(monthAgo), total),
      },
    };
  }
}

function toSummaryResponse(
  activity: Activity,
  window: Window,
  standings: readonly Standing[],
): InvestmentsReportResponse['summary'] {
  const made = activity.by(window.to, 'made');
  const average = made.isZero()
    ? Money.ZERO
    : activity.by(window.to, 'madeAmount').dividedBy(made).roundHalfEven(MICRO_SCALE);
  const [top] = standings.toSorted((a, b) =>
    b.tvl.isLessThan(a.tvl) ? -1 : a.tvl.isLessThan(b.tvl) ? 1 : 0,
  );
  return {
    totalInvestments: countOf(made),
    newInvestments: countOf(activity.between(window, 'made')),
    totalValue: totalOf(standings).toWire(),
    averageInvestment: average.toWire(),
    topStrategy: top?.tvl.isPositive() ? top.strategy.id : null,
  };
}
