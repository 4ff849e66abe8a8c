import {
  AsOfField,
  EnumField,
  IntegerField,
  DayField,
  ListField,
  MapField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { MEAN_YIELD } from '../../../investing/investments/dto/investment.response.js';
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/apy.js';
import { REPORT_INTERVALS } from '../domain/periods.js';

const MONEY = { type: 'string', pattern: '^-?\\d+\\.\\d{2,6}$', example: '10.00' };
const COMPARED =
  'percent, compared with a time of the same length immediately before the period; null if that had none';

class DashboardUsersResponse {
  @IntegerField({ description: 'registered users of any status' }) total!: number;
  @IntegerField({ description: 'users who had an open investment at some time in the period' })
  active!: number;
  @IntegerField({ description: 'users who registered in the period' }) new!: number;
  @NumberField({
    nullable: true,
    description:
      'change of `total` in the period, in percent of the users registered before it, to two decimals; null if there were none',
  })
  growth!: number | null;
}

class DashboardInvestmentStatsResponse {
  @IntegerField({ description: 'investments ever made, in any state' }) total!: number;
  @IntegerField({ description: 'investments that are active or paused now' }) active!: number;
  @IntegerField({ description: 'investments that are waiting for approval now' }) pending!: number;
  @MoneyField({
    description: 'current value of open investments (pending, active, paused), rounded once',
  })
  totalValue!: string;
}

const PROJECTED =
  'platform revenue of the period, extrapolated to a year: times 365, divided by the elapsed days of the period since the first day of the platform, and rounded half to even to six decimals';

class RevenueStatsResponse {
  @MoneyField({ description: 'management fees that the income account received in the period' })
  managementFees!: string;
  @MoneyField({
    description: 'management and performance fees of the period; yield is owed to holders and is no revenue',
  })
  platformRevenue!: string;
  @MoneyField({ description: PROJECTED }) projectedAnnual!: string;
}

class DashboardPerformanceResponse {
  @NumberField({
    nullable: true,
    description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}. It does not depend on the period`,
  })
  averageAPY!: number | null;
  @NumberField({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!:
    number | null;
  @NumberField({
    nullable: true,
    description:
      'percent of the measured minutes of the period in which the platform was up; null if none was measured',
  })
  platformUptime!: number | null;
  @IntegerField({ description: 'number of minutes that platformUptime is based on' })
  measuredMinutes!: number;
  @IntegerField({
    nullable: true,
    description:
      'mean milliseconds from creation to completion of the deposits and withdrawals completed in the period; null without any',
  })
  avgTransactionTime!: number | null;
}

export class DashboardStatsResponse {
  @NestedField(() => DashboardUsersResponse) users!: DashboardUsersResponse;
  @NestedField(() => DashboardInvestmentStatsResponse) investments!: DashboardInvestmentStatsResponse;
  @NestedField(() => RevenueStatsResponse) revenue!: RevenueStatsResponse;
  @MapField(
    {
      type: 'object',
      required: ['tvl', 'allocation'],
      properties: { tvl: MONEY, allocation: { type: 'number', example: 40 } },
    },
    {
      description:
        'by protocol: `tvl`, the current value of active and paused investments by the weights of the strategies (the last protocol of each gets the rounding difference), and `allocation`, its percentage of the tvl of all protocols, to two decimals; 0 without any',
    },
  )
  protocols!: Record<string, { tvl: string; allocation: number }>;
  @NestedField(() => DashboardPerformanceResponse) performance!: DashboardPerformanceResponse;
  @AsOfField() asOf!: string;
}

class RevenueSummaryResponse {
  @MoneyField({
    description: 'management and performance fees that the income accounts received in the period',
  })
  totalRevenue!: string;
  @MoneyField({ description: 'management fees among them' }) managementFees!: string;
  @MoneyField({ description: 'performance fees among them' }) performanceFees!: string;
  @MoneyField({ description: PROJECTED }) projectedAnnual!: string;
  @NumberField({ nullable: true, description: `growth of \`totalRevenue\`: ${COMPARED}` })
  revenueGrowth!: number | null;
  @AsOfField() asOf!: string;
}

class RevenueDayResponse {
  @DayField({ description: 'UTC day; with 24h the first is partial' }) date!: string;
  @MoneyField({ description: 'management and performance fees of the day' }) revenue!: string;
  @MoneyField({ description: 'management fees among them' }) managementFees!: string;
  @IntegerField({ description: 'users registered by the end of the day' }) userCount!: number;
}

class StrategyRevenueResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @MoneyField({ description: "fees of the strategy's investments in the period" }) revenue!: string;
  @NumberField({ description: 'percentage of the total revenue; 0 without revenue' }) percentage!: number;
}

export class RevenueResponse {
  @NestedField(() => RevenueSummaryResponse) summary!: RevenueSummaryResponse;
  @ListField(() => RevenueDayResponse, {
    description: 'the oldest first, the last 1,100 days at most; empty without breakdown=true',
  })
  breakdown!: RevenueDayResponse[];
  @ListField(() => StrategyRevenueResponse) byStrategy!: StrategyRevenueResponse[];
}

class DaysResponse {
  @DayField({ description: 'first UTC day' }) startDate!: string;
  @DayField({ description: 'last UTC day' }) endDate!: string;
}

export class RevenueReportResponse extends RevenueResponse {
  @NestedField(() => DaysResponse) period!: DaysResponse;
}

class ReportPeriodResponse extends DaysResponse {
  @EnumField(REPORT_INTERVALS) interval!: string;
}

const ACTIVE = 'users who had an open investment (pending, active or paused) at some time in';

class UsersReportSummaryResponse {
  @IntegerField({ description: 'users registered by the end of the range' }) totalUsers!: number;
  @IntegerField({ description: 'users who registered in the range' }) newUsers!: number;
  @IntegerField({ description: `${ACTIVE} the range` }) activeUsers!: number;
  @NumberField({
    nullable: true,
    description:
      'of the users who were active in the period of the same length before the range, the percentage who were active in the range, too; null if there were none',
  })
  retentionRate!: number | null;
  @MoneyField({
    description:
      'value of the open investments (pending, active, paused) at the end of the range, divided by the number of users who had one then; 0.00 without such users',
  })
  averageInvestmentPerUser!: string;
  @AsOfField() asOf!: string;
}

class UsersReportPointResponse {
  @StringField({
    example: '2026-01-31',
    description: 'first UTC day of the interval; the start of an hourly interval (2026-01-31T12:00:00.000Z)',
  })
  date!: string;
  @IntegerField({ description: 'users registered by the end of the interval' }) totalUsers!: number;
  @IntegerField({ description: 'users who registered in the interval' }) newUsers!: number;
  @IntegerField({ description: `${ACTIVE} the interval` }) activeUsers!: number;
  @NumberField({
    nullable: true,
    description:
      'of the users who were active in the preceding interval, the percentage who were not active in this one; null if there were none. The first interval is compared with the one that ends where the range begins',
  })
  churnRate!: number | null;
}

export class UsersReportResponse {
  @NestedField(() => ReportPeriodResponse) period!: ReportPeriodResponse;
  @NestedField(() => UsersReportSummaryResponse) summary!: UsersReportSummaryResponse;
  @ListField(() => UsersReportPointResponse, {
    description:
      'the oldest first; the first interval begins with the range, the last one ends with it, or now if the range has not ended',
  })
  dataPoints!: UsersReportPointResponse[];
}

const AT_END =
  'at the end of the range: the current value if the range has not ended; otherwise their principal and the growth that the ledger owed them, which can differ from the values shown then by the rounding of single investments';

class InvestmentsReportSummaryResponse {
  @IntegerField({ description: 'investments made by the end of the range, in any state' })
  totalInvestments!: number;
  @IntegerField({ description: 'those made in the range' }) newInvestments!: number;
  @MoneyField({ description: `value of open investments (pending, active, paused) ${AT_END}` })
  totalValue!: string;
  @MoneyField({
    description:
      'mean principal (amount) of totalInvestments at the end of the range, less the shares of partial closings; 0.00 without investments',
  })
  averageInvestment!: string;
  @StringField({
    nullable: true,
    description:
      'id of the strategy with the highest value of open investments (pending, active, paused) at the end of the range; null without any',
  })
  topStrategy!: string | null;
  @AsOfField() asOf!: string;
}

class InvestmentsOfStrategyResponse {
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @IntegerField({ description: 'investments made in it by the end of the range' }) count!: number;
  @MoneyField({ description: `value of active and paused investments ${AT_END}` }) tvl!: string;
  @NumberField({ nullable: true, description: `${ABOUT_ACHIEVED}; up to the end of the range` })
  averageAPY!: number | null;
  @NumberField({ description: 'the present target, percent a year' }) targetApy!: number;
}

class InvestmentTrendsResponse {
  @NumberField({
    nullable: true,
    description:
      'change of totalValue in the 7 days before the end of the range, percent; null if it was zero 7 days before',
  })
  weekOverWeek!: number | null;
  @NumberField({
    nullable: true,
    description:
      'change of totalValue in the 30 days before the end of the range, percent; null if it was zero 30 days before',
  })
  monthOverMonth!: number | null;
}

export class InvestmentsReportResponse {
  @NestedField(() => InvestmentsReportSummaryResponse) summary!: InvestmentsReportSummaryResponse;
  @ListField(() => InvestmentsOfStrategyResponse) byStrategy!: InvestmentsOfStrategyResponse[];
  @NestedField(() => InvestmentTrendsResponse) trends!: InvestmentTrendsResponse;
}
