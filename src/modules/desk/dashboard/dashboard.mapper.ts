import { dayOf, daysBetween, type Day } from '../../../common/days.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { languageOf } from '../../../common/message-texts.js';
import { Money } from '../../../common/money.js';
import { asNumber, percentOf, percentOrNull } from '../../../common/ratio.js';
import { toBalanceResponse } from '../../portfolio/balance/balance.mapper.js';
import { totalValueOf, type Balance, type PastBalance } from '../../portfolio/balance/balance.service.js';
import {
  originOf,
  type InvestmentDetails,
  type OpenPosition,
} from '../../investing/investments/domain/investment.js';
import { valueOf } from '../../investing/investments/domain/valuation.js';
import {
  toClosedPartsResponse,
  toInvestmentPerformanceResponse,
} from '../../investing/investments/investments.mapper.js';
import { portfolioFigures } from '../../investing/investments/portfolio.mapper.js';
import { toNotificationResponse } from '../../portfolio/notifications/notifications.mapper.js';
import type { StrategiesService } from '../../investing/strategies/strategies.service.js';
import { toTransactionResponse } from '../../portfolio/transactions/transactions.mapper.js';
import type { Profile } from '../../identity/users/users.repository.js';
import type { Dashboard } from './dashboard.service.js';
import { ACTION_LABELS } from './domain/quick-actions.js';
import type { DashboardQuery } from './dto/dashboard.request.js';
import {
  ActiveInvestmentResponse,
  ActiveSummaryResponse,
  type ChartsResponse,
  type DashboardBalanceResponse,
  type DashboardInvestmentsResponse,
  type DashboardPortfolioResponse,
  type DashboardResponse,
  DashboardUserResponse,
  PendingInvestmentResponse,
} from './dto/dashboard.response.js';
import { toResponse } from '../../../http/response/to-response.js';

const ROI_DECIMALS = 4;

/** Throws PARTIAL_DATA_AVAILABLE, with the sections that could be read, if a section is missing. */
export function toDashboardResponse(
  dashboard: Dashboard,
  { includeCharts }: Pick<DashboardQuery, 'includeCharts'>,
  strategies: StrategiesService,
): DashboardResponse {
  const { profile, money, investments, chain } = dashboard;
  const language = languageOf(profile?.user.language ?? '');
  const sections = {
    user: profile && toUserSection(profile),
    balance: money && toBalanceSection(money.balance, money.dayAgo),
    investments: investments && toInvestmentsSection(investments, dashboard.today, strategies),
    recentTransactions: dashboard.transactions?.map((transaction) =>
      toTransactionResponse(transaction, language),
    ),
    recentNotifications: dashboard.notifications?.map(toNotificationResponse),
    portfolio: money && toPortfolioSection(money.balance, strategies),
    ...(includeCharts ? { charts: money && toChartsSection(money) } : {}),
    quickActions: dashboard.quickActions?.map((action) => ({
      ...action,
      label: ACTION_LABELS[action.action][language],
    })),
  };
  const unavailable = Object.entries(sections).flatMap(([name, section]) => (section ? [] : [name]));
  // A source of the dashboard can fail because of the database or of the service itself, so both have one status.
  const status = dashboard.hasFailures ? 'degraded' : 'healthy';
  const systemStatus = {
    blockchain: chain.status,
    database: status,
    api: status,
    lastUpdate: chain.checkedAt.toISOString(), // the oldest time: the sections were read afterwards
  };
  const response = { ...sections, systemStatus };
  if (unavailable.length > 0) throwError('PARTIAL_DATA_AVAILABLE', { unavailable, sections: response });
  return response as DashboardResponse;
}

function toUserSection({ user, walletAddress }: Profile): DashboardUserResponse {
  const [firstName, ...lastNames] = (user.fullName ?? '').split(/\s+/).filter((word) => word !== '');
  return toResponse(DashboardUserResponse, user, {
    firstName: firstName ?? null,
    lastName: lastNames.join(' ') || null,
    walletAddress,
  });
}

function toBalanceSection(balance: Balance, dayAgo: PastBalance): DashboardBalanceResponse {
  const valueDayAgo = totalValueOf(dayAgo);
  const change = totalValue(balance).minus(valueDayAgo);
  return {
    ...toBalanceResponse(balance),
    change24h: { amount: change.toWire(), percentage: percentOrNull(change, valueDayAgo) },
  };
}

/** The available money, and open investments at their current value. */
function totalValue({ funds, accruedEarnings }: Balance): Money {
  return funds.available.plus(funds.invested).plus(accruedEarnings);
}

function toInvestmentsSection(
  { newest, portfolio }: NonNullable<Dashboard['investments']>,
  today: Day,
  strategies: StrategiesService,
): DashboardInvestmentsResponse {
  const figures = portfolioFigures(portfolio, strategies.all);
  return {
    active: newest
      .filter(({ status }) => status !== 'pending')
      .map((investment) => toActiveInvestment(investment, today)),
    pending: newest
      .filter(({ status }) => status === 'pending')
      .map((investment) =>
        toResponse(PendingInvestmentResponse, investment, { strategyName: investment.strategy.name }),
      ),
    summary: toResponse(ActiveSummaryResponse, figures, {
      averageAPY: figures.averageApy,
      totalROI: figures.averageRoi,
    }),
  };
}

function toActiveInvestment(investment: InvestmentDetails, today: Day): ActiveInvestmentResponse {
  const { strategy, createdAt } = investment;
  const { currentValue, roi, dailyYield } = toInvestmentPerformanceResponse(investment);
  return toResponse(ActiveInvestmentResponse, investment, {
    strategyName: strategy.name,
    currentValue,
    apy: asNumber(strategy.apy),
    earnedToDate: valueOf(investment, investment.day).minus(originOf(investment).firstPrincipal),
    startDate: createdAt,
    daysActive: daysBetween(dayOf(createdAt), today),
    performance: { roi, dailyEarnings: dailyYield },
    closedParts: toClosedPartsResponse(investment),
  });
}

function toPortfolioSection(balance: Balance, strategies: StrategiesService): DashboardPortfolioResponse {
  const { funds, positions, accruedEarnings } = balance;
  const total = totalValue(balance);
  const profitLoss = funds.earnings.plus(accruedEarnings).minus(funds.fees);
  const pending = Money.sum(positions.map((position) => position.pending));
  const parts = [
    { category: 'available', amount: funds.available },
    ...positions.filter(isActive).map((position) => ({
      category: `${strategies.getStrategy(position.strategyId).riskLevel}-risk`,
      amount: activeValueOf(position),
    })),
    ...(pending.isZero() ? [] : [{ category: 'pending', amount: pending }]),
  ];
  return {
    totalValue: total.toWire(),
    profitLoss: profitLoss.toWire(),
    profitLossPercentage: percentOrNull(profitLoss, funds.deposits),
    bestPerformer: bestPerformerOf(positions),
    assetAllocation: parts.map(({ category, amount }) => ({
      category,
      amount: amount.toWire(),
      percentage: percentOf(amount, total),
    })),
  };
}

function activeValueOf({ currentValue, pending }: OpenPosition): Money {
  return currentValue.minus(pending);
}

/** True unless all investments of the position wait for approval. */
function isActive(position: OpenPosition): boolean {
  return !activeValueOf(position).isZero();
}

/** The strategy whose open investments have grown most in percent; of equal strategies the first one. */
function bestPerformerOf(open: readonly OpenPosition[]): DashboardPortfolioResponse['bestPerformer'] {
  const positions = open.filter(isActive);
  const growthOf = ({ firstPrincipal, currentValue }: OpenPosition) => currentValue.dividedBy(firstPrincipal);
  let [best] = positions;
  if (!best) return null;
  for (const position of positions) if (growthOf(position).isMoreThan(growthOf(best))) best = position;
  const roi = percentOf(best.currentValue.minus(best.firstPrincipal), best.firstPrincipal, ROI_DECIMALS);
  return { strategy: best.strategyId, roi };
}

function toChartsSection({ days, growth, balance }: NonNullable<Dashboard['money']>): ChartsResponse {
  const active = balance.positions.filter(isActive);
  const invested = Money.sum(active.map(activeValueOf));
  return {
    portfolioValue: days.map((end) => ({ date: end.day, value: totalValueOf(end).toWire() })),
    earningsHistory: growth.map((daily) => ({ date: daily.day, earnings: daily.growth.toWire() })),
    investmentDistribution: active.map((position) => ({
      strategy: position.strategyId,
      amount: activeValueOf(position).toWire(),
      percentage: percentOf(activeValueOf(position), invested),
    })),
  };
}
