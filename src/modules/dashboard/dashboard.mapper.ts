import { dayOf, daysBetween, type Day } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import { totalValueOf, type PastBalance } from '../balance/balance-history.service.js';
import { toBalanceResponse } from '../balance/balance.mapper.js';
import type { Balance } from '../balance/balance.service.js';
import type { InvestmentDetails, OpenPosition } from '../investments/domain/investment.js';
import { toInvestmentPerformanceResponse } from '../investments/investments.mapper.js';
import { toNotificationResponse } from '../notifications/notifications.mapper.js';
import type { StrategiesService } from '../strategies/strategies.service.js';
import { toTransactionResponse } from '../transactions/transactions.mapper.js';
import type { Profile } from '../users/users.repository.js';
import type { Dashboard } from './dashboard.service.js';
import type { DashboardQuery } from './dto/dashboard.request.js';
import type {
  ActiveInvestmentResponse,
  ChartsResponse,
  DashboardBalanceResponse,
  DashboardInvestmentsResponse,
  DashboardPortfolioResponse,
  DashboardResponse,
  DashboardUserResponse,
} from './dto/dashboard.response.js';

const ROI_DECIMALS = 4;

/** Throws PARTIAL_DATA_AVAILABLE, with the sections that could be read, if a section is missing. */
export function toDashboardResponse(
  dashboard: Dashboard,
  { includeCharts }: Pick<DashboardQuery, 'includeCharts'>,
  strategies: StrategiesService,
): DashboardResponse {
  const { profile, money, investments, chain } = dashboard;
  const sections = {
    user: profile && toUserSection(profile),
    balance: money && toBalanceSection(money.balance, money.dayAgo),
    investments: investments && toInvestmentsSection(investments, dashboard.today),
    recentTransactions: dashboard.transactions?.map(toTransactionResponse),
    recentNotifications: dashboard.notifications?.map(toNotificationResponse),
    portfolio: money && toPortfolioSection(money.balance, strategies),
    ...(includeCharts ? { charts: money && toChartsSection(money.days, money.balance.positions) } : {}),
    quickActions: dashboard.quickActions,
  };
  const unavailable = Object.entries(sections).flatMap(([name, section]) => (section ? [] : [name]));
  const status = dashboard.hasFailures ? 'degraded' : 'healthy';
  const systemStatus = {
    blockchain: chain.status,
    database: status,
    api: status,
    lastUpdate: chain.checkedAt.toISOString(), // the chain was checked before the sections were read
  };
  const response = { ...sections, systemStatus };
  if (unavailable.length > 0) fail('PARTIAL_DATA_AVAILABLE', { unavailable, sections: response });
  return response as DashboardResponse;
}

function toUserSection({ user, walletAddress }: Profile): DashboardUserResponse {
  const [firstName, ...lastNames] = (user.fullName ?? '').split(/\s+/).filter((word) => word !== '');
  return {
    id: user.id,
    email: user.email,
    firstName: firstName ?? null,
    lastName: lastNames.join(' ') || null,
    walletAddress,
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
  };
}

function toBalanceSection(balance: Balance, dayAgo: PastBalance): DashboardBalanceResponse {
  const valueDayAgo = totalValueOf(dayAgo);
  const change = totalValue(balance).minus(valueDayAgo);
  return {
    ...toBalanceResponse(balance),
    change24h: { amount: change.toWire(), percentage: percentOf(change, valueDayAgo) },
  };
}

/** The available money, and open investments at their current value. */
function totalValue({ funds, accruedEarnings }: Balance): Money {
  return funds.available.plus(funds.invested).plus(accruedEarnings);
}

function toInvestmentsSection(
  { newest, positions }: NonNullable<Dashboard['investments']>,
  today: Day,
): DashboardInvestmentsResponse {
  const invested = Money.sum(positions.map(({ amount }) => amount));
  const value = Money.sum(positions.map(({ currentValue }) => currentValue));
  const weighted = Money.sum(positions.map(({ amount, apy }) => amount.times(apy)));
  const earnings = value.minus(invested);
  return {
    active: newest.map((investment) => toActiveInvestment(investment, today)),
    summary: {
      totalInvested: invested.toWire(),
      totalCurrentValue: value.toWire(),
      totalEarnings: earnings.toWire(),
      averageAPY: invested.isZero() ? 0 : asNumber(weighted.dividedBy(invested)),
      totalROI: percentOf(earnings, invested, ROI_DECIMALS),
    },
  };
}

function toActiveInvestment(investment: InvestmentDetails, today: Day): ActiveInvestmentResponse {
  const { strategy } = investment;
  const performance = toInvestmentPerformanceResponse(investment);
  return {
    id: investment.id,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    currentValue: performance.currentValue,
    apy: asNumber(strategy.apy),
    earnedToDate: performance.totalEarnings,
    startDate: investment.createdAt.toISOString(),
    daysActive: daysBetween(dayOf(investment.createdAt), today),
    performance: { roi: performance.roi, dailyEarnings: performance.dailyYield },
  };
}

function toPortfolioSection(balance: Balance, strategies: StrategiesService): DashboardPortfolioResponse {
  const { funds, positions, accruedEarnings } = balance;
  const total = totalValue(balance);
  const profitLoss = funds.earnings.plus(accruedEarnings).minus(funds.fees);
  const parts = [
    { category: 'available', amount: funds.available },
    ...positions.map(({ strategyId, currentValue }) => ({
      category: `${strategies.getStrategy(strategyId).riskLevel}-risk`,
      amount: currentValue,
    })),
  ];
  return {
    totalValue: total.toWire(),
    profitLoss: profitLoss.toWire(),
    profitLossPercentage: percentOf(profitLoss, funds.deposits),
    bestPerformer: bestPerformerOf(positions),
    assetAllocation: parts.map(({ category, amount }) => ({
      category,
      amount: amount.toWire(),
      percentage: percentOf(amount, total),
    })),
  };
}

/** The strategy whose open investments have grown most in percent; of equal strategies the first one. */
function bestPerformerOf(positions: readonly OpenPosition[]): DashboardPortfolioResponse['bestPerformer'] {
  const growthOf = ({ amount, currentValue }: OpenPosition) => currentValue.dividedBy(amount);
  let [best] = positions;
  if (!best) return null;
  for (const position of positions) if (growthOf(position).isMoreThan(growthOf(best))) best = position;
  const roi = percentOf(best.currentValue.minus(best.amount), best.amount, ROI_DECIMALS);
  return { strategy: best.strategyId, roi };
}

/** `ends` begins with the end of the day before the first shown day. */
function toChartsSection(ends: readonly PastBalance[], positions: readonly OpenPosition[]): ChartsResponse {
  const days = ends.slice(1);
  const earned = ({ earnings, accruedEarnings }: PastBalance) => earnings.plus(accruedEarnings);
  const invested = Money.sum(positions.map(({ currentValue }) => currentValue));
  return {
    portfolioValue: days.map((end) => ({ date: end.day, value: totalValueOf(end).toWire() })),
    earningsHistory: days.map((end, index) => ({
      date: end.day,
      earnings: earned(end)
        .minus(earned(ends[index] as PastBalance)) // the end of the day before
        .toWire(),
    })),
    investmentDistribution: positions.map(({ strategyId, currentValue }) => ({
      strategy: strategyId,
      amount: currentValue.toWire(),
      percentage: percentOf(currentValue, invested),
    })),
  };
}
