import {
  Choice,
  Count,
  DayText,
  Instant,
  ListOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { BalanceView } from '../../balance/dto/balance.response.js';
import { NotificationView } from '../../notifications/dto/notification.response.js';
import { TransactionView } from '../../transactions/dto/transaction.response.js';
import { QuickActionView } from '../quick-actions.js';
import { DashboardUserView } from '../user.section.js';

const STRATEGY = { example: 'balanced-10' };

class Change24hView {
  @MoneyText() amount!: string;
  @Ratio({ description: 'of what it was worth then; 0 when it was nothing', example: 0.05 })
  percentage!: number;
}

export class DashboardBalanceView extends BalanceView {
  @Nested(() => Change24hView, {
    description: 'of total + accruedEarnings since exactly 24 hours ago; deposits and withdrawals count',
  })
  change24h!: Change24hView;
}

class ActivePerformanceView {
  @Ratio({ description: 'earnings in percent of the amount', example: 1.25 }) roi!: number;
  @MoneyText({ description: 'growth at the next midnight, once the investment earns' })
  dailyEarnings!: string;
}

export class ActiveInvestmentView {
  @Uuid() id!: string;
  @Text(STRATEGY) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText({ description: 'principal' }) amount!: string;
  @MoneyText() currentValue!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @MoneyText() earnedToDate!: string;
  @Instant() startDate!: string;
  @Count({ description: 'midnights since it was made' }) daysActive!: number;
  @Nested(() => ActivePerformanceView) performance!: ActivePerformanceView;
}

class ActiveSummaryView {
  @MoneyText() totalInvested!: string;
  @MoneyText() totalCurrentValue!: string;
  @MoneyText() totalEarnings!: string;
  @Ratio({ description: 'target, weighted by amount' }) averageAPY!: number;
  @Ratio({ description: 'totalEarnings in percent of totalInvested' }) totalROI!: number;
}

export class DashboardInvestmentsView {
  @ListOf(() => ActiveInvestmentView, {
    description: 'open ones: active, paused or waiting for approval; the newest 100, the newest first',
  })
  active!: ActiveInvestmentView[];
  @Nested(() => ActiveSummaryView, { description: 'of all open ones' }) summary!: ActiveSummaryView;
}

class BestPerformerView {
  @Text(STRATEGY) strategy!: string;
  @Ratio({ description: 'growth of its open investments in percent' }) roi!: number;
}

class AssetAllocationView {
  @Choice(['available', 'low-risk', 'medium-risk', 'high-risk'], {
    description: 'available, or invested in strategies of that risk level',
  })
  category!: string;
  @MoneyText() amount!: string;
  @Ratio({ description: 'of totalValue' }) percentage!: number;
}

export class DashboardPortfolioView {
  @MoneyText({ description: 'available, and investments at their current value' }) totalValue!: string;
  @MoneyText({ description: 'earnings, realised or not, less fees' }) profitLoss!: string;
  @Ratio({ description: 'profitLoss in percent of all deposits' }) profitLossPercentage!: number;
  @Nested(() => BestPerformerView, {
    nullable: true,
    description: 'strategy whose open investments have grown most in percent; null when none is open',
  })
  bestPerformer!: BestPerformerView | null;
  @ListOf(() => AssetAllocationView, { description: 'adds up to totalValue' })
  assetAllocation!: AssetAllocationView[];
}

class PortfolioValueView {
  @DayText() date!: string;
  @MoneyText({ description: 'total + accruedEarnings at the end of the day; of today, now' }) value!: string;
}

class EarningsHistoryView {
  @DayText() date!: string;
  @MoneyText({
    description: 'what the day added to earnings, realised or not; growth that was forfeited is negative',
  })
  earnings!: string;
}

class InvestmentDistributionView {
  @Text(STRATEGY) strategy!: string;
  @MoneyText({ description: 'current value' }) amount!: string;
  @Ratio({ description: 'of all that is invested' }) percentage!: number;
}

export class ChartsView {
  @ListOf(() => PortfolioValueView) portfolioValue!: PortfolioValueView[];
  @ListOf(() => EarningsHistoryView) earningsHistory!: EarningsHistoryView[];
  @ListOf(() => InvestmentDistributionView) investmentDistribution!: InvestmentDistributionView[];
}

const HEALTH = ['healthy', 'degraded', 'unhealthy'] as const;

class SystemStatusView {
  @Choice(HEALTH) blockchain!: string;
  @Choice(HEALTH) database!: string;
  @Choice(HEALTH) api!: string;
  @Instant({ description: 'when the chain was asked' }) lastUpdate!: string;
}

export class DashboardView {
  @Nested(() => DashboardUserView) user!: DashboardUserView;
  @Nested(() => DashboardBalanceView) balance!: DashboardBalanceView;
  @Nested(() => DashboardInvestmentsView) investments!: DashboardInvestmentsView;
  @ListOf(() => TransactionView, { description: 'the newest first' }) recentTransactions!: TransactionView[];
  @ListOf(() => NotificationView, { description: 'the newest first' })
  recentNotifications!: NotificationView[];
  @Nested(() => DashboardPortfolioView) portfolio!: DashboardPortfolioView;
  @Nested(() => ChartsView, {
    optional: true,
    description: 'with includeCharts=true: the last days, today included',
  })
  charts?: ChartsView;
  @ListOf(() => QuickActionView) quickActions!: QuickActionView[];
  @Nested(() => SystemStatusView) systemStatus!: SystemStatusView;
}
