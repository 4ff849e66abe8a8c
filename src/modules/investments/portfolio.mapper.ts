import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import type {
  InvestmentsSummaryResponse,
  PerformanceResponse,
  StrategyPerformanceResponse,
} from './dto/investment.response.js';
import { ROI_DECIMALS } from './investments.mapper.js';
import type { InvestmentGroup } from './investments.repository.js';

const OPEN: readonly ShownStatus[] = ['pending', 'active', 'paused'];

export function toInvestmentsSummaryResponse(groups: readonly InvestmentGroup[]): InvestmentsSummaryResponse {
  const { amount, value, earnings } = sumsOf(groups);
  const { principal, growth } = closedSumsOf(groups);
  const allEarnings = earnings.plus(growth);
  return {
    totalInvested: amount.toWire(),
    totalCurrentValue: value.toWire(),
    totalEarnings: allEarnings.toWire(),
    averageROI: percentOf(allEarnings, amount.plus(principal), ROI_DECIMALS),
    activeInvestments: countOf(groups, 'active'),
  };
}

/** Lists the strategies of open investments in the order of `strategies`. */
export function toPerformanceResponse(
  groups: readonly InvestmentGroup[],
  strategies: readonly Strategy[],
): PerformanceResponse {
  const open = groups.filter(({ status }) => OPEN.includes(status));
  const ended = groups.filter(({ status }) => !OPEN.includes(status));
  const { amount, value, earnings } = sumsOf(open);
  const closed = closedSumsOf(groups);
  const realised = sumsOf(ended)
    .earnings.minus(Money.sum(ended.map(({ fees }) => fees)))
    .plus(closed.growth.minus(closed.fees));
  const apyOf = new Map(strategies.map(({ id, apy }) => [id, apy]));
  const weighted = Money.sum(
    open.map((group) => group.amount.times(apyOf.get(group.strategyId) ?? Money.ZERO)),
  );
  const investments = strategies.flatMap((strategy) => toStrategyPerformanceResponses(strategy, open));
  return {
    portfolio: {
      totalInvested: amount.toWire(),
      totalCurrentValue: value.toWire(),
      totalEarnings: earnings.toWire(),
      totalReturn: earnings.plus(realised).toWire(),
      averageROI: percentOf(earnings, amount, ROI_DECIMALS),
      weightedAPY: amount.isZero() ? 0 : asNumber(weighted.dividedBy(amount)),
    },
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
  const { amount, value, earnings } = sumsOf(groups);
  return [
    {
      strategyId: id,
      strategyName: name,
      totalInvested: amount.toWire(),
      currentValue: value.toWire(),
      earnings: earnings.toWire(),
      roi: percentOf(earnings, amount, ROI_DECIMALS),
      count: groups.reduce((sum, { count }) => sum + count, 0),
    },
  ];
}

function sumsOf(groups: readonly InvestmentGroup[]): { amount: Money; value: Money; earnings: Money } {
  const amount = Money.sum(groups.map((group) => group.amount));
  const value = Money.sum(groups.map((group) => group.value));
  return { amount, value, earnings: value.minus(amount) };
}

/** Sums over all partial closings. */
function closedSumsOf(groups: readonly InvestmentGroup[]): { principal: Money; growth: Money; fees: Money } {
  return {
    principal: Money.sum(groups.map(({ closedPrincipal }) => closedPrincipal)),
    growth: Money.sum(groups.map(({ closedGrowth }) => closedGrowth)),
    fees: Money.sum(groups.map(({ closedFees }) => closedFees)),
  };
}

function countOf(groups: readonly InvestmentGroup[], status: ShownStatus): number {
  return groups.filter((group) => group.status === status).reduce((sum, { count }) => sum + count, 0);
}
