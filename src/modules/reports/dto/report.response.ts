import {
  Choice,
  Count,
  DayText,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
} from '../../../http/openapi/fields.js';
import { REPORT_INTERVALS } from '../periods.js';

class ReportPeriodResponse {
  @DayText({ description: 'first UTC day' }) startDate!: string;
  @DayText({ description: 'last UTC day' }) endDate!: string;
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
      'percent of the users who were active in as much time immediately before the range and were still active in it; null where there were none',
  })
  retentionRate!: number | null;
  @MoneyText({
    description:
      'principal open at the end of the range per user with an open investment; 0.00 where there is none',
  })
  averageInvestmentPerUser!: string;
}

class UsersReportPointResponse {
  @Text({
    example: '2026-01-31',
    description: 'first UTC day of the interval, of an hour its beginning (2026-01-31T12:00:00.000Z)',
  })
  date!: string;
  @Count({ description: 'users registered by the end of the interval' }) totalUsers!: number;
  @Count({ description: 'users who registered in the interval' }) newUsers!: number;
  @Count({ description: `${ACTIVE} the interval` }) activeUsers!: number;
  @Ratio({
    nullable: true,
    description:
      'percent of the users who were active in the interval before and no longer in this one; null where there were none. What comes before the first is the interval that ends with the beginning of the range',
  })
  churnRate!: number | null;
}

export class UsersReportResponse {
  @Nested(() => ReportPeriodResponse) period!: ReportPeriodResponse;
  @Nested(() => UsersReportSummaryResponse) summary!: UsersReportSummaryResponse;
  @ListOf(() => UsersReportPointResponse, {
    description: 'the oldest first; the first begins and the last ends with the range, of today now',
  })
  dataPoints!: UsersReportPointResponse[];
}

const TVL = 'principal of what was open at the end of the range, and the growth owed to it in the ledger';

class InvestmentsReportSummaryResponse {
  @Count({ description: 'investments ever made by the end of the range, whatever became of them' })
  totalInvestments!: number;
  @Count({ description: 'of them those made in the range' }) newInvestments!: number;
  @MoneyText({ description: TVL }) totalValue!: string;
  @MoneyText({
    description:
      'principal of an investment when it was made, mean of totalInvestments; 0.00 where there is none',
  })
  averageInvestment!: string;
  @Text({ nullable: true, description: 'id of the strategy with the highest tvl; null when nothing is open' })
  topStrategy!: string | null;
}

class InvestmentsOfStrategyResponse {
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @Count({ description: 'investments ever made in it by the end of the range' }) count!: number;
  @MoneyText({ description: TVL }) tvl!: string;
  @Ratio({
    description:
      'percent a year: the mean of the rates that the days of the range grew at (the target, what was reported in time, 0 while suspended); the target where the range has no values',
  })
  averageAPY!: number;
}

class InvestmentTrendsResponse {
  @Ratio({
    nullable: true,
    description:
      'totalValue at the end of the range compared with 7 days before that, percent; null where it was zero',
  })
  weekOverWeek!: number | null;
  @Ratio({ nullable: true, description: 'the same compared with 30 days before' })
  monthOverMonth!: number | null;
}

export class InvestmentsReportResponse {
  @Nested(() => InvestmentsReportSummaryResponse) summary!: InvestmentsReportSummaryResponse;
  @ListOf(() => InvestmentsOfStrategyResponse) byStrategy!: InvestmentsOfStrategyResponse[];
  @Nested(() => InvestmentTrendsResponse) trends!: InvestmentTrendsResponse;
}
