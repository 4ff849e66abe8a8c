import { Money } from '../../../common/money.js';
import { percentOf, percentOrNull } from '../../../common/ratio.js';
import { toResponse } from '../../../http/response/to-response.js';
import { meanYield } from '../strategies/domain/apy.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import { InvestmentsSummaryResponse } from './dto/investment.response.js';
import {
  type PerformanceResponse,
  PortfolioResponse,
  type StrategyPerformanceResponse,
} from './dto/portfolio.response.js';
import { ROI_DECIMALS } from './investments.mapper.js';
import type { InvestmentGroup } from './investments.repository.js';
import type { SummedPortfolio } from './portfolio.service.js';

export function toInvestmentsSummaryResponse(groups: readonly InvestmentGroup[]): InvestmentsSummaryResponse {
  const open = groups.filter(isOpen);
  const { amount, firstPrincipal, value, earnings } = sumsOf(open);
  return toResponse(InvestmentsSummaryResponse, {
    totalInvested: amount,
    totalCurrentValue: value,
    totalEarnings: earnings,
    averageROI: percentOrNull(earnings, firstPrincipal, ROI_DECIMALS),
    activeInvestments: countOf(groups, 'active', 'paused'),
    closed: { count: countOf(groups, 'closed', 'cancelled'), ...endedSumsOf(groups) },
  });
}

/** The figures of a user's investments that several answers show. */
export interface PortfolioFigures {
  readonly totalInvested: Money;
  readonly totalCurrentValue: Money;
  /** Unrealised and realised, before fees. */
  readonly totalEarnings: Money;
  readonly realised: Money;
  readonly fees: Money;
  /** The unrealised growth in percent of the first principals of open investments; null without any. */
  readonly averageRoi: number | null;
  /** Means of the achieved yields and of the targets, percent a year, weighted by the value that earns; null without any. */
  readonly averageApy: number | null;
  readonly targetApy: number | null;
}

export function portfolioFigures(
  { groups, days }: SummedPortfolio,
  strategies: readonly Strategy[],
): PortfolioFigures {
  const open = groups.filter(isOpen);
  const { amount, firstPrincipal, value, earnings } = sumsOf(open);
  const ended = endedSumsOf(groups);
  const yields = strategies.map(({ id, apy: target }) => {
    const earning = open.filter(({ strategyId, status }) => strategyId === id && status !== 'pending');
    return { target, achieved: days.get(id)?.achievedApy ?? null, earningValue: sumsOf(earning).value };
  });
  return {
    totalInvested: amount,
    totalCurrentValue: value,
    totalEarnings: earnings.plus(ended.earnings),
    realised: ended.earnings,
    fees: ended.fees,
    averageRoi: percentOrNull(earnings, firstPrincipal, ROI_DECIMALS),
    averageApy: meanYield(
      yields.map(({ achieved, earningValue }) => ({ value: earningValue, apy: achieved })),
    ),
    targetApy: meanYield(yields.map(({ target, earningValue }) => ({ value: earningValue, apy: target }))),
  };
}

/** Lists the strategies of open investments in the order of `strategies`. */
export function toPerformanceResponse(
  portfolio: SummedPortfolio,
  strategies: readonly Strategy[],
): PerformanceResponse {
  const { groups } = portfolio;
  const open = groups.filter(isOpen);
  const figures = portfolioFigures(portfolio, strategies);
  const investments = strategies.flatMap((strategy) => toStrategyPerformanceResponses(strategy, open));
  return {
    portfolio: toResponse(PortfolioResponse, figures, {
      totalReturn: figures.totalEarnings.minus(figures.fees),
      averageROI: figures.averageRoi,
      weightedAPY: figures.averageApy,
    }),
    investments,
    breakdown: {
      byStatus: {
        active: countOf(groups, 'active'),
        paused: countOf(groups, 'paused'),
        closed: countOf(groups, 'closed'),
      },
      byStrategy: Object.fromEntries(investments.map(({ strategyId, count }) => [strategyId, count])),
    },
  };
}

/** Empty for a strategy without open investments. */
function toStrategyPerformanceResponses(
  { id, name }: Strategy,
  open: readonly InvestmentGroup[],
): StrategyPerformanceResponse[] {
  const groups = open.filter(({ strategyId }) => strategyId === id);
  if (groups.length === 0) return [];
  const { amount, firstPrincipal, value, earnings } = sumsOf(groups);
  return [
    {
      strategyId: id,
      strategyName: name,
      totalInvested: amount.toWire(),
      currentValue: value.toWire(),
      earnings: earnings.toWire(),
      roi: percentOf(earnings, firstPrincipal, ROI_DECIMALS),
      count: groups.reduce((sum, { count }) => sum + count, 0),
    },
  ];
}

function isOpen({ status }: InvestmentGroup): boolean {
  return status === 'pending' || status === 'active' || status === 'paused';
}

/** `earnings` is the growth from the first principals. */
function sumsOf(
  groups: readonly InvestmentGroup[],
): Record<'amount' | 'firstPrincipal' | 'value' | 'earnings', Money> {
  const sumOf = (field: 'amount' | 'firstPrincipal' | 'value') =>
    Money.sum(groups.map((group) => group[field]));
  const firstPrincipal = sumOf('firstPrincipal');
  const value = sumOf('value');
  return { amount: sumOf('amount'), firstPrincipal, value, earnings: value.minus(firstPrincipal) };
}

/**
 * Sums over the closed and cancelled investments and all partial closings, including partial closings before a move. Together with the
 * unrealised growth of the open investments, the earnings are all growth that the user ever had.
 */
function endedSumsOf(groups: readonly InvestmentGroup[]): Record<'principal' | 'earnings' | 'fees', Money> {
  const ended = groups.filter((group) => !isOpen(group) && group.status !== 'moved');
  const { firstPrincipal, earnings } = sumsOf(ended);
  const parts = (of: (group: InvestmentGroup) => Money) => Money.sum(groups.map(of));
  return {
    principal: firstPrincipal.plus(
      parts(({ closedPrincipal, closedEarlierGrowth }) => closedPrincipal.minus(closedEarlierGrowth)),
    ),
    earnings: earnings.plus(
      parts(({ closedGrowth, closedEarlierGrowth }) => closedGrowth.plus(closedEarlierGrowth)),
    ),
    fees: Money.sum(ended.map(({ fees }) => fees)).plus(parts(({ closedFees }) => closedFees)),
  };
}

function countOf(groups: readonly InvestmentGroup[], ...statuses: ShownStatus[]): number {
  const counted = groups.filter(({ status }) => status !== 'moved' && statuses.includes(status));
  return counted.reduce((sum, { count }) => sum + count, 0);
}
