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
} from '../../../http/openapi/fields.js';
import { BalanceResponse } from '../../balance/dto/balance.response.js';
import { NotificationResponse } from '../../notifications/dto/notification.response.js';
import { TransactionResponse } from '../../transactions/dto/transaction.response.js';

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
  @MoneyText() amount!: string;
  @Ratio({ description: 'in percent of the value 24 hours ago; 0 if that was zero', example: 0.05 })
  percentage!: number;
}

export class DashboardBalanceResponse extends BalanceResponse {
  @Nested(() => Change24hResponse, {
    description:
      'change of total + accruedEarnings since exactly 24 hours ago, including deposits and withdrawals',
  })
  change24h!: Change24hResponse;
}

class ActivePerformanceResponse {
  @Ratio({ description: 'earnings in percent of the amount', example: 1.25 }) roi!: number;
  @MoneyText({ description: 'growth at the next midnight, once the investment earns' })
  dailyEarnings!: string;
}

export class ActiveInvestmentResponse {
  @Uuid() id!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText({ description: 'principal' }) amount!: string;
  @MoneyText() currentValue!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @MoneyText() earnedToDate!: string;
  @Instant() startDate!: string;
  @Count({ description: 'midnights since the creation' }) daysActive!: number;
  @Nested(() => ActivePerformanceResponse) performance!: ActivePerformanceResponse;
}

class ActiveSummaryResponse {
  @MoneyText() totalInvested!: string;
  @MoneyText() totalCurrentValue!: string;
  @MoneyText() totalEarnings!: string;
  @Ratio({ description: 'target, weighted by amount' }) averageAPY!: number;
  @Ratio({ description: 'totalEarnings in percent of totalInvested' }) totalROI!: number;
}

export class DashboardInvestmentsResponse {
  @ListOf(() => ActiveInvestmentResponse, {
    description:
      'open investments (active, paused or waiting for approval): the newest 100, the newest first',
  })
  active!: ActiveInvestmentResponse[];
  @Nested(() => ActiveSummaryResponse, { description: 'sums over all open investments' })
  summary!: ActiveSummaryResponse;
}

class BestPerformerResponse {
  @Text(STRATEGY) strategy!: string;
  @Ratio({ description: 'growth of its open investments in percent' }) roi!: number;
}

class AssetAllocationResponse {
  @Choice(['available', 'low-risk', 'medium-risk', 'high-risk'], {
    description: 'available, or invested in strategies of that risk level',
  })
  category!: string;
  @MoneyText() amount!: string;
  @Ratio({ description: 'in percent of totalValue' }) percentage!: number;
}

export class DashboardPortfolioResponse {
  @MoneyText({ description: 'available, and investments at their current value' }) totalValue!: string;
  @MoneyText({ description: 'earnings, realised or not, less fees' }) profitLoss!: string;
  @Ratio({ description: 'profitLoss in percent of all deposits' }) profitLossPercentage!: number;
  @Nested(() => BestPerformerResponse, {
    nullable: true,
    description: 'strategy whose open investments have grown most in percent; null without open investments',
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
    description: 'change of earnings, realised or not, on the day; forfeited growth is negative',
  })
  earnings!: string;
}

class InvestmentDistributionResponse {
  @Text(STRATEGY) strategy!: string;
  @MoneyText({ description: 'current value' }) amount!: string;
  @Ratio({ description: 'in percent of the current value of all open investments' }) percentage!: number;
}

export class ChartsResponse {
  @ListOf(() => PortfolioValueResponse) portfolioValue!: PortfolioValueResponse[];
  @ListOf(() => EarningsHistoryResponse) earningsHistory!: EarningsHistoryResponse[];
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
