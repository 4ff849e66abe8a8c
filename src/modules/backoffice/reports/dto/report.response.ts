import {
  AsOfField,
  EnumField,
  IntegerField,
  DayField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
} from '../../../../http/openapi/fields.js';
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/achieved-apy.js';
import { REPORT_INTERVALS } from '../domain/periods.js';
import { RevenueResponse } from './dashboard.response.js';

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
