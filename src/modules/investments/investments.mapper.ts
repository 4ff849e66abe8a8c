import { MICRO_SCALE, Money } from '../../common/money.js';
import { asNumber, HUNDRED, percentOf } from '../../common/ratio.js';
import { splitByWeight } from '../strategies/domain/allocation.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import { totalFees, type Fees } from './domain/closing.js';
import { originOf, shownStatus, type InvestmentDetails } from './domain/investment.js';
import { lastUpdateOf, nextYieldDate, valueOf } from './domain/valuation.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import type { Investment } from './entities/investment.entity.js';
import type { ClosedInvestment } from './investment-closings.service.js';
import type {
  AllocationResponse,
  CancelledInvestmentResponse,
  ClosedInvestmentResponse,
  ClosingQuoteResponse,
  InvestmentDetailResponse,
  InvestmentFeesResponse,
  InvestmentItemResponse,
  InvestmentPerformanceResponse,
  InvestmentResponse,
  InvestmentsSummaryResponse,
  PerformanceResponse,
  StrategyPerformanceResponse,
} from './dto/investment.response.js';
import type { InvestmentGroup } from './investments.repository.js';
import type { ClosingQuote } from './portfolio.service.js';

const ROI_DECIMALS = 4;

export function toInvestmentResponse(details: InvestmentDetails): InvestmentResponse {
  return {
    ...toCommonFields(details),
    userId: details.userId,
    currency: 'USDC',
    allocation: toPrincipalByProtocol(details),
    performance: toInvestmentPerformanceResponse(details),
    lastUpdated: lastUpdateOf(details, details.day).toISOString(),
  };
}

export function toInvestmentDetailResponse(details: InvestmentDetails): InvestmentDetailResponse {
  const performance = toInvestmentPerformanceResponse(details);
  return {
    ...toCommonFields(details),
    userId: details.userId,
    currency: 'USDC',
    allocation: toAllocationResponses(details),
    performance,
    currentValue: performance.currentValue,
    totalEarnings: performance.totalEarnings,
    roi: performance.roi,
    lastUpdated: lastUpdateOf(details, details.day).toISOString(),
    approvedBy: details.approvedBy,
    approvedAt: details.approvedAt?.toISOString() ?? null,
  };
}

export function toInvestmentItemResponse(details: InvestmentDetails): InvestmentItemResponse {
  const { currentValue, totalEarnings, roi } = toInvestmentPerformanceResponse(details);
  return { ...toCommonFields(details), currentValue, totalEarnings, roi };
}

function toCommonFields(details: InvestmentDetails) {
  const { strategy } = details;
  return {
    id: details.id,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: details.amount.toWire(),
    ...toOriginFields(details),
    apy: asNumber(strategy.apy),
    status: shownStatus(details),
    createdAt: details.createdAt.toISOString(),
    nextYieldDate: toNextYieldDate(details),
  };
}

export function toClosedInvestmentResponse({
  closing,
  investment,
}: ClosedInvestment): ClosedInvestmentResponse {
  const { price, principal, growth, fees } = closing;
  return {
    investmentId: investment.id,
    status: 'closed',
    finalValue: price.toWire(),
    initialInvestment: principal.toWire(),
    firstPrincipal: originOf(investment).firstPrincipal.toWire(),
    totalEarnings: growth.toWire(),
    roi: percentOf(growth, principal, ROI_DECIMALS),
    withdrawnAmount: price.minus(totalFees(closing)).toWire(),
    closedAt: investment.updatedAt.toISOString(),
    fees: toFeesResponse(fees),
  };
}

export function toClosingQuoteResponse(quote: ClosingQuote): ClosingQuoteResponse {
  const { investment, closing, lockedUntil, at, validUntil } = quote;
  const { price, principal, growth, fees } = closing;
  return {
    investmentId: investment.id,
    amount: price.toWire(),
    value: price.toWire(),
    principal: principal.toWire(),
    earnings: growth.toWire(),
    fees: toFeesResponse(fees),
    payout: price.minus(totalFees(closing)).toWire(),
    lockedUntil: lockedUntil?.toISOString() ?? null,
    at: at.toISOString(),
    validUntil: validUntil.toISOString(),
  };
}

export function toCancelledInvestmentResponse({
  id,
  finalValue,
}: Investment & { finalValue: Money }): CancelledInvestmentResponse {
  return {
    id,
    status: 'cancelled',
    message: `The investment is cancelled: ${finalValue.toWire()} USDC is available again.`,
  };
}

export function toPrincipalByProtocol({ amount, strategy }: InvestmentDetails): Record<string, string> {
  return Object.fromEntries(
    [...splitByWeight(amount, strategy.protocols)].map(([name, share]) => [name, share.toWire()]),
  );
}

export function toOriginFields(investment: Investment): { firstPrincipal: string; carriedFees: string } {
  const { firstPrincipal, carriedFees } = originOf(investment);
  return { firstPrincipal: firstPrincipal.toWire(), carriedFees: carriedFees.toWire() };
}

export function toFeesResponse(fees: Fees): InvestmentFeesResponse {
  return {
    managementFee: fees.management.toWire(),
    performanceFee: fees.performance.toWire(),
    carriedFees: fees.carried.toWire(),
    gasFee: Money.ZERO.toWire(),
  };
}

export function toNextYieldDate(details: InvestmentDetails): string | null {
  return nextYieldDate(details, details.day, details.suspended)?.toISOString() ?? null;
}

function toAllocationResponses(details: InvestmentDetails): Record<string, AllocationResponse> {
  const { protocols } = details.strategy;
  const amounts = splitByWeight(details.amount, protocols);
  const values = splitByWeight(valueOf(details, details.day), protocols);
  return Object.fromEntries(
    protocols.map(({ name, weight }) => [
      name,
      {
        amount: (amounts.get(name) ?? Money.ZERO).toWire(),
        percentage: asNumber(weight),
        protocol: name,
        currentValue: (values.get(name) ?? Money.ZERO).toWire(),
      },
    ]),
  );
}

export function toInvestmentPerformanceResponse(details: InvestmentDetails): InvestmentPerformanceResponse {
  const { amount, closedPrincipal, closedGrowth, strategy, day } = details;
  const value = valueOf(details, day);
  const earnings = value.minus(amount).plus(closedGrowth);
  const earningValue = shownStatus(details) === 'active' ? value : Money.ZERO;
  const rise = day.next.minus(day.nav);
  return {
    currentValue: value.toWire(),
    totalEarnings: earnings.toWire(),
    roi: percentOf(earnings, amount.plus(closedPrincipal), ROI_DECIMALS),
    dailyYield: earningValue.times(rise).dividedBy(day.nav).roundHalfEven(MICRO_SCALE).toWire(),
    projectedAnnualReturn: earningValue
      .times(strategy.apy)
      .dividedBy(HUNDRED)
      .roundHalfEven(MICRO_SCALE)
      .toWire(),
  };
}

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

/** Sums over all partial closings of the investments in the groups. */
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
