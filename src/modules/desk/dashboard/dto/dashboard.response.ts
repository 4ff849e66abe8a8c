import {
  EnumField,
  IntegerField,
  DayField,
  BooleanField,
  InstantField,
  ListField,
  MoneyField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { BalanceResponse } from '../../../portfolio/balance/dto/balance.response.js';
import {
  ABOUT_INVESTMENT,
  ClosedPartsResponse,
  MEAN_YIELD,
} from '../../../investing/investments/dto/investment.response.js';
import { ABOUT_PORTFOLIO } from '../../../investing/investments/dto/portfolio.response.js';
import { NotificationResponse } from '../../../portfolio/notifications/dto/notification.response.js';
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/apy.js';
import { TransactionResponse } from '../../../portfolio/transactions/dto/transaction.response.js';

const STRATEGY = { example: 'balanced-10' };

export class DashboardUserResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @StringField({ nullable: true, description: 'first word of the full name' }) firstName!: string | null;
  @StringField({ nullable: true, description: 'the other words of the full name' }) lastName!: string | null;
  @StringField({ nullable: true, description: 'the first linked wallet that is not suspended' })
  walletAddress!: string | null;
  @InstantField() createdAt!: string;
  @InstantField({ nullable: true }) lastLoginAt!: string | null;
}

export class QuickActionResponse {
  @EnumField(['deposit', 'invest', 'withdraw']) action!: string;
  @StringField() label!: string;
  @StringField({ description: 'path in the user interface', example: '/deposits' }) url!: string;
  @BooleanField({ description: 'whether the action would succeed now' }) enabled!: boolean;
  @BooleanField({ optional: true, description: 'whether an admin may have to approve the action' })
  requiresApproval?: boolean;
}

class Change24hResponse {
  @MoneyField({ description: 'in USDC; negative if the value fell' }) amount!: string;
  @NumberField({
    nullable: true,
    description: 'in percent of the value 24 hours ago, to two decimals; null if that was zero',
    example: 0.05,
  })
  percentage!: number | null;
}

export class DashboardBalanceResponse extends BalanceResponse {
  @NestedField(() => Change24hResponse, {
    description:
      'change of total + accruedEarnings since exactly 24 hours ago, including deposits and withdrawals',
  })
  change24h!: Change24hResponse;
}

class ActivePerformanceResponse {
  @NumberField({
    description:
      'earnedToDate and the earnings of closedParts, in percent of firstPrincipal before the partial closings, to four decimals',
    example: 1.25,
  })
  roi!: number;
  @MoneyField({ description: 'growth at the next midnight, once the investment earns' })
  dailyEarnings!: string;
}

export class ActiveInvestmentResponse {
  @UuidField() id!: string;
  @StringField(STRATEGY) strategyId!: string;
  @StringField() strategyName!: string;
  @MoneyField(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyField({ description: "today's value" }) currentValue!: string;
  @NumberField({ description: 'target, percent a year' }) apy!: number;
  @MoneyField({
    description:
      'unrealised growth: currentValue less the firstPrincipal of its chain of moves; that of partial closings is in closedParts',
  })
  earnedToDate!: string;
  @InstantField() startDate!: string;
  @IntegerField({ description: 'midnights since the creation' }) daysActive!: number;
  @NestedField(() => ActivePerformanceResponse) performance!: ActivePerformanceResponse;
  @NestedField(() => ClosedPartsResponse, {
    description: 'sums over the partial closings of this investment',
  })
  closedParts!: ClosedPartsResponse;
}

export class PendingInvestmentResponse {
  @UuidField() id!: string;
  @StringField(STRATEGY) strategyId!: string;
  @StringField() strategyName!: string;
  @MoneyField({ description: 'principal, which yields nothing until the approval' }) amount!: string;
  @InstantField() createdAt!: string;
}

export class ActiveSummaryResponse {
  @MoneyField({
    description: 'principal of open investments (pending, active, paused), as `invested` of the balance',
  })
  totalInvested!: string;
  @MoneyField({ description: 'current value of open investments' }) totalCurrentValue!: string;
  @MoneyField({
    description: `${ABOUT_PORTFOLIO.totalEarnings.description}. With at most 100 open investments it is the sum of earnedToDate in active, and realised`,
  })
  totalEarnings!: string;
  @MoneyField(ABOUT_PORTFOLIO.realised) realised!: string;
  @NumberField({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) averageAPY!:
    number | null;
  @NumberField({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!:
    number | null;
  @NumberField({
    nullable: true,
    description:
      'unrealised growth in percent of the firstPrincipal of all open investments, to four decimals; null without any',
  })
  totalROI!: number | null;
}

export class DashboardInvestmentsResponse {
  @ListField(() => ActiveInvestmentResponse, {
    description: 'active and paused investments among the newest 100 open ones, the newest first',
  })
  active!: ActiveInvestmentResponse[];
  @ListField(() => PendingInvestmentResponse, {
    description: 'investments that wait for approval, among the newest 100 open ones, the newest first',
  })
  pending!: PendingInvestmentResponse[];
  @NestedField(() => ActiveSummaryResponse, {
    description: 'sums over all investments of the user, not only the listed ones',
  })
  summary!: ActiveSummaryResponse;
}

class BestPerformerResponse {
  @StringField(STRATEGY) strategy!: string;
  @NumberField({
    description:
      'growth of its open investments in percent of their firstPrincipal, to four decimals, as in the performance of investments',
  })
  roi!: number;
}

class AssetAllocationResponse {
  @EnumField(['available', 'low-risk', 'medium-risk', 'high-risk', 'pending'], {
    description:
      'available; active and paused investments in strategies of that risk level; pending: investments that wait for approval',
  })
  category!: string;
  @MoneyField({ description: 'current value' }) amount!: string;
  @NumberField({ description: 'in percent of totalValue, to two decimals; 0 if that is zero' })
  percentage!: number;
}

export class DashboardPortfolioResponse {
  @MoneyField({ description: 'available, and investments at their current value' }) totalValue!: string;
  @MoneyField({ description: 'earnings, realised or not, less fees' }) profitLoss!: string;
  @NumberField({
    nullable: true,
    description: 'profitLoss in percent of all deposits, to two decimals; null without deposits',
  })
  profitLossPercentage!: number | null;
  @NestedField(() => BestPerformerResponse, {
    nullable: true,
    description:
      'strategy whose open investments have grown most in percent; null without active or paused investments',
  })
  bestPerformer!: BestPerformerResponse | null;
  @ListField(() => AssetAllocationResponse, { description: 'the amounts add up to totalValue' })
  assetAllocation!: AssetAllocationResponse[];
}

class PortfolioValueResponse {
  @DayField() date!: string;
  @MoneyField({ description: 'total + accruedEarnings at the end of the day; now, if the day is today' })
  value!: string;
}

class EarningsHistoryResponse {
  @DayField() date!: string;
  @MoneyField({
    description:
      'growth that investments earned on the day, realised later or not; portfolioValue includes it from the following midnight on',
  })
  earnings!: string;
}

class InvestmentDistributionResponse {
  @StringField(STRATEGY) strategy!: string;
  @MoneyField({ description: 'current value of active and paused investments' }) amount!: string;
  @NumberField({
    description: 'in percent of the current value of all active and paused investments, to two decimals',
  })
  percentage!: number;
}

export class ChartsResponse {
  @ListField(() => PortfolioValueResponse) portfolioValue!: PortfolioValueResponse[];
  @ListField(() => EarningsHistoryResponse, {
    description: 'as many days as portfolioValue, the last is yesterday',
  })
  earningsHistory!: EarningsHistoryResponse[];
  @ListField(() => InvestmentDistributionResponse) investmentDistribution!: InvestmentDistributionResponse[];
}

const HEALTH = ['healthy', 'degraded', 'unhealthy'] as const;

class SystemStatusResponse {
  @EnumField(HEALTH) blockchain!: string;
  @EnumField(HEALTH) database!: string;
  @EnumField(HEALTH) api!: string;
  @InstantField({ description: 'when the chain was checked' }) lastUpdate!: string;
}

export class DashboardResponse {
  @NestedField(() => DashboardUserResponse) user!: DashboardUserResponse;
  @NestedField(() => DashboardBalanceResponse) balance!: DashboardBalanceResponse;
  @NestedField(() => DashboardInvestmentsResponse) investments!: DashboardInvestmentsResponse;
  @ListField(() => TransactionResponse, { description: 'the newest first' })
  recentTransactions!: TransactionResponse[];
  @ListField(() => NotificationResponse, { description: 'the newest first' })
  recentNotifications!: NotificationResponse[];
  @NestedField(() => DashboardPortfolioResponse) portfolio!: DashboardPortfolioResponse;
  @NestedField(() => ChartsResponse, {
    optional: true,
    description: 'with includeCharts=true: the last days, today included',
  })
  charts?: ChartsResponse;
  @ListField(() => QuickActionResponse) quickActions!: QuickActionResponse[];
  @NestedField(() => SystemStatusResponse) systemStatus!: SystemStatusResponse;
}
