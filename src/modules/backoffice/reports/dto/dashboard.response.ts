import {
  AsOfField,
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
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/achieved-apy.js';

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
