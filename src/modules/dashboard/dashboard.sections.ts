import { dayOf, daysBetween, type Day } from '../../common/days.js';
import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import { worthOf, type Standing } from '../balance/balance-history.queries.js';
import type { Balance } from '../balance/balance.queries.js';
import { toBalanceResponse } from '../balance/dto/balance.response.js';
import type { OpenPosition } from '../investments/domain/open-positions.js';
import type { InvestmentResponse } from '../investments/dto/investment.response.js';
import type { StrategiesService } from '../strategies/strategies.service.js';
import type {
  ActiveInvestmentResponse,
  ChartsResponse,
  DashboardBalanceResponse,
  DashboardInvestmentsResponse,
  DashboardPortfolioResponse,
} from './dto/dashboard.response.js';

// Sections that are worked out from more than one figure. Pure.

const ROI_DECIMALS = 4;

export function balanceSection(balance: Balance, dayAgo: Standing): DashboardBalanceResponse {
  const before = worthOf(dayAgo);
  const amount = totalValue(balance).minus(before);
  return {
    ...toBalanceResponse(balance),
    change24h: { amount: amount.toWire(), percentage: percentOf(amount, before) },
  };
}

/** What a user has: available, and investments at their value. */
function totalValue({ funds, accruedEarnings }: Balance): Money {
  return funds.available.plus(funds.invested).plus(accruedEarnings);
}

export function investmentsSection(
  { newest, positions }: { newest: InvestmentResponse[]; positions: readonly OpenPosition[] },
  today: Day,
): DashboardInvestmentsResponse {
  const invested = Money.sum(positions.map(({ amount }) => amount));
  const value = Money.sum(positions.map(({ currentValue }) => currentValue));
  const weighted = Money.sum(positions.map(({ amount, apy }) => amount.times(apy)));
  const earnings = value.minus(invested);
  return {
    active: newest.map((investment) => activeInvestment(investment, today)),
    summary: {
      totalInvested: invested.toWire(),
      totalCurrentValue: value.toWire(),
      totalEarnings: earnings.toWire(),
      averageAPY: invested.isZero() ? 0 : asNumber(weighted.dividedBy(invested)),
      totalROI: percentOf(earnings, invested, ROI_DECIMALS),
    },
  };
}

function activeInvestment(investment: InvestmentResponse, today: Day): ActiveInvestmentResponse {
  const { performance } = investment;
  return {
    id: investment.id,
    strategyId: investment.strategyId,
    strategyName: investment.strategyName,
    amount: investment.amount,
    currentValue: performance.currentValue,
    apy: investment.apy,
    earnedToDate: performance.totalEarnings,
    startDate: investment.createdAt,
    daysActive: daysBetween(dayOf(new Date(investment.createdAt)), today),
    performance: { roi: performance.roi, dailyEarnings: performance.dailyYield },
  };
}

export function portfolioSection(
  balance: Balance,
  strategies: StrategiesService,
): DashboardPortfolioResponse {
  const { funds, positions, accruedEarnings } = balance;
  const total = totalValue(balance);
  const profitLoss = funds.earnings.plus(accruedEarnings).minus(funds.fees);
  const parts = [
    { category: 'available', amount: funds.available },
    ...positions.map(({ strategyId, currentValue }) => ({
      category: `${strategies.get(strategyId).riskLevel}-risk`,
      amount: currentValue,
    })),
  ];
  return {
    totalValue: total.toWire(),
    profitLoss: profitLoss.toWire(),
    profitLossPercentage: percentOf(profitLoss, funds.deposits),
    bestPerformer: bestOf(positions),
    assetAllocation: parts.map(({ category, amount }) => ({
      category,
      amount: amount.toWire(),
      percentage: percentOf(amount, total),
    })),
  };
}

/** The strategy whose open investments have grown most; of equal ones the first of the catalogue. */
function bestOf(positions: readonly OpenPosition[]): DashboardPortfolioResponse['bestPerformer'] {
  const grown = ({ amount, currentValue }: OpenPosition) => currentValue.dividedBy(amount);
  const [first, ...others] = positions;
  if (!first) return null;
  const best = others.reduce((best, other) => (grown(other).isMoreThan(grown(best)) ? other : best), first);
  const roi = percentOf(best.currentValue.minus(best.amount), best.amount, ROI_DECIMALS);
  return { strategy: best.strategyId, roi };
}

/** Of the ends of the days that are shown, and before them that of the day before the first. */
export function chartsSection(ends: readonly Standing[], positions: readonly OpenPosition[]): ChartsResponse {
  const days = ends.slice(1);
  const earned = ({ earnings, accruedEarnings }: Standing) => earnings.plus(accruedEarnings);
  const invested = Money.sum(positions.map(({ currentValue }) => currentValue));
  return {
    portfolioValue: days.map((then) => ({ date: then.day, value: worthOf(then).toWire() })),
    earningsHistory: days.map((then, place) => ({
      date: then.day,
      earnings: earned(then)
        .minus(earned(ends[place] as Standing))
        .toWire(),
    })),
    investmentDistribution: positions.map(({ strategyId, currentValue }) => ({
      strategy: strategyId,
      amount: currentValue.toWire(),
      percentage: percentOf(currentValue, invested),
    })),
  };
}
