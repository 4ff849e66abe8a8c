import {
  AsOf,
  Choice,
  Count,
  DayText,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
} from '../../../../http/openapi/fields.js';
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/achieved-apy.js';
import { REPORT_INTERVALS } from '../domain/periods.js';
import { RevenueResponse } from './dashboard.response.js';

class DaysResponse {
  @DayText({ description: 'first UTC day' }) startDate!: string;
  @DayText({ description: 'last UTC day' }) endDate!: string;
}

export class RevenueReportResponse extends RevenueResponse {
  @Nested(() => DaysResponse) period!: DaysResponse;
}

class ReportPeriodResponse extends DaysResponse {
  @Choice(REPORT_INTERVALS) interval!: string;
}

const ACTIVE = 'users who had an open investment (pending, active or paused) at some time in';

class UsersReportSummaryResponse {
  @Count({ description: 'users registered by the end of the range' }) totalUsers!: number;
  @Count({ description: 'users who registered in the range' }) newUsers!: number;
  @Count({ description: `${ACTIVE} the range` }) activeUsers!: number;
  @Ratio({
    nullable: true,
    description:
      'of the users who were active in the period of the same length before the range, the percentage who were active in the range, too; null if there were none',
  })
  retentionRate!: number | null;
  @MoneyText({
    description:
      'value of the open investments (pending, active, paused) at the end of the range, divided by the number of users who had one then; 0.00 without such users',
  })
  averageInvestmentPerUser!: string;
  @AsOf() asOf!: string;
}

class UsersReportPointResponse {
  @Text({
    example: '2026-01-31',
    description: 'first UTC day of the interval; the start of an hourly interval (2026-01-31T12:00:00.000Z)',
  })
  date!: string;
  @Count({ description: 'users registered by the end of the interval' }) totalUsers!: number;
  @Count({ description: 'users who registered in the interval' }) newUsers!: number;
  @Count({ description: `${ACTIVE} the interval` }) activeUsers!: number;
  @Ratio({
    nullable: true,
    description:
      'of the users who were active in the preceding interval, the percentage who were not active in this one; null if there were none. The first interval is compared with the one that ends where the range begins',
  })
  churnRate!: number | null;
}

export class UsersReportResponse {
  @Nested(() => ReportPeriodResponse) period!: ReportPeriodResponse;
  @Nested(() => UsersReportSummaryResponse) summary!: UsersReportSummaryResponse;
  @ListOf(() => UsersReportPointResponse, {
    description:
      'the oldest first; the first interval begins with the range, the last one ends with it, or now if the range has not ended',
  })
  dataPoints!: UsersReportPointResponse[];
}

const AT_END =
  'at the end of the range: the current value if the range has not ended; otherwise their principal and the growth that the ledger owed them, which can differ from the values shown then by the rounding of single investments';

class InvestmentsReportSummaryResponse {
  @Count({ description: 'investments made by the end of the range, in any state' })
  totalInvestments!: number;
  @Count({ description: 'those made in the range' }) newInvestments!: number;
  @MoneyText({ description: `value of open investments (pending, active, paused) ${AT_END}` })
  totalValue!: string;
  @MoneyText({
    description:
      'mean principal (amount) of totalInvestments at the end of the range, less the shares of partial closings; 0.00 without investments',
  })
  averageInvestment!: string;
  @Text({
    nullable: true,
    description:
      'id of the strategy with the highest value of open investments (pending, active, paused) at the end of the range; null without any',
  })
  topStrategy!: string | null;
  @AsOf() asOf!: string;
}

class InvestmentsOfStrategyResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @Count({ description: 'investments made in it by the end of the range' }) count!: number;
  @MoneyText({ description: `value of active and paused investments ${AT_END}` }) tvl!: string;
  @Ratio({ nullable: true, description: `${ABOUT_ACHIEVED}; up to the end of the range` })
  averageAPY!: number | null;
  @Ratio({ description: 'the present target, percent a year' }) targetApy!: number;
}

class InvestmentTrendsResponse {
  @Ratio({
    nullable: true,
    description:
      'change of totalValue in the 7 days before the end of the range, percent; null if it was zero 7 days before',
  })
  weekOverWeek!: number | null;
  @Ratio({
    nullable: true,
    description:
      'change of totalValue in the 30 days before the end of the range, percent; null if it was zero 30 days before',
  })
  monthOverMonth!: number | null;
}

export class InvestmentsReportResponse {
  @Nested(() => InvestmentsReportSummaryResponse) summary!: InvestmentsReportSummaryResponse;
  @ListOf(() => InvestmentsOfStrategyResponse) byStrategy!: InvestmentsOfStrategyResponse[];
  @Nested(() => InvestmentTrendsResponse) trends!: InvestmentTrendsResponse;
}
