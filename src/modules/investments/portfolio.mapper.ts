import { Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import type { StrategiesService } from '../strategies/strategies.service.js';
import type { ClosedPart } from './investment.row.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import type {
  InvestmentsSummaryResponse,
  PerformanceResponse,
  StrategyPerformanceResponse,
} from './dto/investment.response.js';
import { ROI_DECIMALS } from './investments.mapper.js';

/** Sums over a user's investments of one strategy and status. */
export interface Group {
  readonly strategyId: string;
  readonly status: ShownStatus;
  readonly count: number;
  readonly amount: Money;
  readonly value: Money;
  readonly fees: Money;
  /** What partial closings have redeemed. */
  readonly closedPart: ClosedPart;
}

const OPEN: readonly ShownStatus[] = ['pending', 'active', 'paused'];

function isOpen(group: Group): boolean {
  return OPEN.includes(group.status);
}

export function toSummaryResponse(groups: Group[]): InvestmentsSummaryResponse {
  const { amount, value, earnings } = sums(groups);
  const { principal, growth } = closedParts(groups);
  const allEarnings = earnings.plus(growth);
  return {
    totalInvested: amount.toWire(),
    totalCurrentValue: value.toWire(),
    totalEarnings: allEarnings.toWire(),
    averageROI: percentOf(allEarnings, amount.plus(principal), ROI_DECIMALS),
    activeInvestments: countOf(groups, 'active'),
  };
}

export function toPerformanceResponse(groups: Group[], strategies: StrategiesService): PerformanceResponse {
  const open = groups.filter(isOpen);
  const { amount, value, earnings } = sums(open);
  const ended = groups.filter((group) => !isOpen(group));
  const parts = closedParts(groups);
  const realised = sums(ended)
    .earnings.minus(Money.sum(ended.map((group) => group.fees)))
    .plus(parts.growth.minus(parts.fees));
  const weighted = Money.sum(open.map((group) => group.amount.times(strategies.get(group.strategyId).apy)));
  const investments = strategies.all.flatMap(({ id, name }) => toStrategyResponse(id, name, open));
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

function toStrategyResponse(
  strategyId: string,
  strategyName: string,
  open: Group[],
): StrategyPerformanceResponse[] {
  const own = open.filter((group) => group.strategyId === strategyId);
  if (own.length === 0) return [];
  const { amount, value, earnings } = sums(own);
  return [
    {
      strategyId,
      strategyName,
      totalInvested: amount.toWire(),
      currentValue: value.toWire(),
      earnings: earnings.toWire(),
      roi: percentOf(earnings, amount, ROI_DECIMALS),
      count: own.reduce((sum, group) => sum + group.count, 0),
    },
  ];
}

function sums(groups: Group[]): { amount: Money; value: Money; earnings: Money } {
  const amount = Money.sum(groups.map((group) => group.amount));
  const value = Money.sum(groups.map((group) => group.value));
  return { amount, value, earnings: value.minus(amount) };
}

function closedParts(groups: Group[]): ClosedPart {
  const parts = groups.map(({ closedPart }) => closedPart);
  return {
    principal: Money.sum(parts.map(({ principal }) => principal)),
    growth: Money.sum(parts.map(({ growth }) => growth)),
    fees: Money.sum(parts.map(({ fees }) => fees)),
  };
}

function countOf(groups: Group[], status: ShownStatus): number {
  return groups.filter((group) => group.status === status).reduce((sum, group) => sum + group.count, 0);
}
