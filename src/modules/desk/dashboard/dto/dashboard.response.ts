import {
  Choice,
  Count,
  DayText,
  Flag,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { BalanceResponse } from '../../../portfolio/balance/dto/balance.response.js';
import {
  ABOUT_INVESTMENT,
  ClosedPartsResponse,
  MEAN_YIELD,
} from '../../../investing/investments/dto/investment.response.js';
import { ABOUT_PORTFOLIO } from '../../../investing/investments/dto/portfolio.response.js';
import { NotificationResponse } from '../../../portfolio/notifications/dto/notification.response.js';
import { ABOUT_ACHIEVED } from '../../../investing/strategies/domain/achieved-apy.js';
import { TransactionResponse } from '../../../portfolio/transactions/dto/transaction.response.js';

const STRATEGY = { example: 'balanced-10' };

export class DashboardUserResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Text({ nullable: true, description: 'first word of the full name' }) firstName!: string | null;
  @Text({ nullable: true, description: 'the other words of the full name' }) lastName!: string | null;
  @Text({ nullable: true, description: 'the first linked wallet that is not suspended' }) walletAddress!:
    string | null;
  @Instant() createdAt!: string;
  @Instant({ nullable: true }) lastLoginAt!: string | null;
}

export class QuickActionResponse {
  @Choice(['deposit', 'invest', 'withdraw']) action!: string;
  @Text() label!: string;
  @Text({ description: 'path in the user interface', example: '/deposits' }) url!: string;
  @Flag({ description: 'whether the action would succeed now' }) enabled!: boolean;
  @Flag({ optional: true, description: 'whether an admin may have to approve the action' })
  requiresApproval?: boolean;
}

class Change24hResponse {
  @MoneyText({ description: 'in USDC; negative if the value fell' }) amount!: string;
  @Ratio({
    nullable: true,
    description: 'in percent of the value 24 hours ago, to two decimals; null if that was zero',
    example: 0.05,
  })
  percentage!: number | null;
}

export class DashboardBalanceResponse extends BalanceResponse {
  @Nested(() => Change24hResponse, {
    description:
      'change of total + accruedEarnings since exactly 24 hours ago, including deposits and withdrawals',
  })
  change24h!: Change24hResponse;
}

class ActivePerformanceResponse {
  @Ratio({
    description:
      'earnedToDate and the earnings of closedParts, in percent of firstPrincipal before the partial closings, to four decimals',
    example: 1.25,
  })
  roi!: number;
  @MoneyText({ description: 'growth at the next midnight, once the investment earns' })
  dailyEarnings!: string;
}

export class ActiveInvestmentResponse {
  @Uuid() id!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText({ description: "today's value" }) currentValue!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @MoneyText({
    description:
      'unrealised growth: currentValue less the firstPrincipal of its chain of moves; that of partial closings is in closedParts',
  })
  earnedToDate!: string;
  @Instant() startDate!: string;
  @Count({ description: 'midnights since the creation' }) daysActive!: number;
  @Nested(() => ActivePerformanceResponse) performance!: ActivePerformanceResponse;
  @Nested(() => ClosedPartsResponse, { description: 'sums over the partial closings of this investment' })
  closedParts!: ClosedPartsResponse;
}

export class PendingInvestmentResponse {
  @Uuid() id!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText({ description: 'principal, which yields nothing until the approval' }) amount!: string;
  @Instant() createdAt!: string;
}

class ActiveSummaryResponse {
  @MoneyText({
    description: 'principal of open investments (pending, active, paused), as `invested` of the balance',
  })
  totalInvested!: string;
  @MoneyText({ description: 'current value of open investments' }) totalCurrentValue!: string;
  @MoneyText({
    description: `${ABOUT_PORTFOLIO.totalEarnings.description}. With at most 100 open investments it is the sum of earnedToDate in active, and realised`,
  })
  totalEarnings!: string;
  @MoneyText(ABOUT_PORTFOLIO.realised) realised!: string;
  @Ratio({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) averageAPY!: number | null;
  @Ratio({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!: number | null;
  @Ratio({
    nullable: true,
    description:
      'unrealised growth in percent of the firstPrincipal of all open investments, to four decimals; null without any',
  })
  totalROI!: number | null;
}

export class DashboardInvestmentsResponse {
  @ListOf(() => ActiveInvestmentResponse, {
    description: 'active and paused investments among the newest 100 open ones, the newest first',
  })
  active!: ActiveInvestmentResponse[];
  @ListOf(() => PendingInvestmentResponse, {
    description: 'investments that wait for approval, among the newest 100 open ones, the newest first',
  })
  pending!: PendingInvestmentResponse[];
  @Nested(() => ActiveSummaryResponse, {
    description: 'sums over all investments of the user, not only the listed ones',
  })
  summary!: ActiveSummaryResponse;
}

class BestPerformerResponse {
  @Text(STRATEGY) strategy!: string;
  @Ratio({
    description:
      'growth of its open investments in percent of their firstPrincipal, to four decimals, as in the performance of investments',
  })
  roi!: number;
}

class AssetAllocationResponse {
  @Choice(['available', 'low-risk', 'medium-risk', 'high-risk', 'pending'], {
    description:
      'available; active and paused investments in strategies of that risk level; pending: investments that wait for approval',
  })
  category!: string;
  @MoneyText({ description: 'current value' }) amount!: string;
  @Ratio({ description: 'in percent of totalValue, to two decimals; 0 if that is zero' }) percentage!: number;
}

export class DashboardPortfolioResponse {
  @MoneyText({ description: 'available, and investments at their current value' }) totalValue!: string;
  @MoneyText({ description: 'earnings, realised or not, less fees' }) profitLoss!: string;
  @Ratio({
    nullable: true,
    description: 'profitLoss in percent of all deposits, to two decimals; null without deposits',
  })
  profitLossPercentage!: number | null;
  @Nested(() => BestPerformerResponse, {
    nullable: true,
    description:
      'strategy whose open investments have grown most in percent; null without active or paused investments',
  })
  bestPerformer!: BestPerformerResponse | null;
  @ListOf(() => AssetAllocationResponse, { description: 'the amounts add up to totalValue' })
  assetAllocation!: AssetAllocationResponse[];
}

class PortfolioValueResponse {
  @DayText() date!: string;
  @MoneyText({ description: 'total + accruedEarnings at the end of the day; now, if the day is today' })
  value!: string;
}

class EarningsHistoryResponse {
  @DayText() date!: string;
  @MoneyText({
    description:
      'growth that investments earned on the day, realised later or not; portfolioValue includes it from the following midnight on',
  })
  earnings!: string;
}

class InvestmentDistributionResponse {
  @Text(STRATEGY) strategy!: string;
  @MoneyText({ description: 'current value of active and paused investments' }) amount!: string;
  @Ratio({
    description: 'in percent of the current value of all active and paused investments, to two decimals',
  })
  percentage!: number;
}

export class ChartsResponse {
  @ListOf(() => PortfolioValueResponse) portfolioValue!: PortfolioValueResponse[];
  @ListOf(() => EarningsHistoryResponse, {
    description: 'as many days as portfolioValue, the last is yesterday',
  })
  earningsHistory!: EarningsHistoryResponse[];
  @ListOf(() => InvestmentDistributionResponse) investmentDistribution!: InvestmentDistributionResponse[];
}

const HEALTH = ['healthy', 'degraded', 'unhealthy'] as const;

class SystemStatusResponse {
  @Choice(HEALTH) blockchain!: string;
  @Choice(HEALTH) database!: string;
  @Choice(HEALTH) api!: string;
  @Instant({ description: 'when the chain was checked' }) lastUpdate!: string;
}

export class DashboardResponse {
  @Nested(() => DashboardUserResponse) user!: DashboardUserResponse;
  @Nested(() => DashboardBalanceResponse) balance!: DashboardBalanceResponse;
  @Nested(() => DashboardInvestmentsResponse) investments!: DashboardInvestmentsResponse;
  @ListOf(() => TransactionResponse, { description: 'the newest first' })
  recentTransactions!: TransactionResponse[];
  @ListOf(() => NotificationResponse, { description: 'the newest first' })
  recentNotifications!: NotificationResponse[];
  @Nested(() => DashboardPortfolioResponse) portfolio!: DashboardPortfolioResponse;
  @Nested(() => ChartsResponse, {
    optional: true,
    description: 'with includeCharts=true: the last days, today included',
  })
  charts?: ChartsResponse;
  @ListOf(() => QuickActionResponse) quickActions!: QuickActionResponse[];
  @Nested(() => SystemStatusResponse) systemStatus!: SystemStatusResponse;
}
