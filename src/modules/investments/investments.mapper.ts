import { MICRO_SCALE, Money } from '../../common/money.js';
import { asNumber, percentOf } from '../../common/ratio.js';
import type { Strategy } from '../strategies/domain/catalogue.js';
import type { NavDay } from '../strategies/navs.repository.js';
import type { NavDays } from '../strategies/navs.service.js';
import type { StrategiesService } from '../strategies/strategies.service.js';
import { allocate } from '../strategies/domain/allocation.js';
import type { Fees } from './domain/fees.js';
import type { Investment, Origin } from './investment.row.js';
import type { ShownStatus } from './domain/investment.state-machine.js';
import { lastUpdateOf, nextYieldDate, valueOf } from './domain/valuation.js';
import type {
  AllocationResponse,
  InvestmentDetailResponse,
  InvestmentFeesResponse,
  InvestmentItemResponse,
  InvestmentPerformanceResponse,
  InvestmentResponse,
} from './dto/investment.response.js';

/** An investment with all that its views are worked out from. */
export interface Shown {
  readonly investment: Investment;
  readonly strategy: Strategy;
  readonly day: NavDay;
  readonly suspended: boolean;
}

export const ROI_DECIMALS = 4;
const HUNDRED = Money.of('100');

export function shownOf(strategies: StrategiesService, investment: Investment, day: NavDay): Shown {
  const strategy = strategies.get(investment.strategyId);
  return { investment, strategy, day, suspended: strategies.isSuspended(strategy.id) };
}

export function shownIn(strategies: StrategiesService, investment: Investment, days: NavDays): Shown {
  const day = days.get(investment.strategyId);
  if (!day) throw new Error(`strategy ${investment.strategyId} has no value`);
  return shownOf(strategies, investment, day);
}

export function statusOf({ investment, suspended }: Shown): ShownStatus {
  return investment.status === 'active' && suspended ? 'paused' : investment.status;
}

export function toInvestmentResponse(shown: Shown): InvestmentResponse {
  const { investment, strategy } = shown;
  return {
    id: investment.id,
    userId: investment.userId,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    ...toOriginResponse(investment.origin),
    currency: 'USDC',
    apy: asNumber(strategy.apy),
    status: statusOf(shown),
    allocation: principalByProtocol(shown),
    performance: performanceOf(shown),
    createdAt: investment.createdAt.toISOString(),
    lastUpdated: lastUpdateOf(investment, shown.day).toISOString(),
    nextYieldDate: nextYield(shown),
  };
}

export function toInvestmentDetailResponse(shown: Shown): InvestmentDetailResponse {
  const { investment, strategy } = shown;
  const performance = performanceOf(shown);
  return {
    id: investment.id,
    userId: investment.userId,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    ...toOriginResponse(investment.origin),
    currency: 'USDC',
    apy: asNumber(strategy.apy),
    status: statusOf(shown),
    allocation: allocationOf(shown),
    performance,
    currentValue: performance.currentValue,
    totalEarnings: performance.totalEarnings,
    roi: performance.roi,
    createdAt: investment.createdAt.toISOString(),
    lastUpdated: lastUpdateOf(investment, shown.day).toISOString(),
    nextYieldDate: nextYield(shown),
    approvedBy: investment.approvedBy,
    approvedAt: investment.approvedAt?.toISOString() ?? null,
  };
}

export function toInvestmentItemResponse(shown: Shown): InvestmentItemResponse {
  const { investment, strategy } = shown;
  const { currentValue, totalEarnings, roi } = performanceOf(shown);
  return {
    id: investment.id,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    ...toOriginResponse(investment.origin),
    currentValue,
    totalEarnings,
    apy: asNumber(strategy.apy),
    roi,
    status: statusOf(shown),
    createdAt: investment.createdAt.toISOString(),
    nextYieldDate: nextYield(shown),
  };
}

export function principalByProtocol({ investment, strategy }: Shown): Record<string, string> {
  return Object.fromEntries(
    [...allocate(investment.amount, strategy.protocols)].map(([name, share]) => [name, share.toWire()]),
  );
}

/** What earlier legs left to it, beside its principal. */
export function toOriginResponse({ firstPrincipal, carriedFees }: Origin): {
  firstPrincipal: string;
  carriedFees: string;
} {
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

export function nextYield({ investment, day, suspended }: Shown): string | null {
  return nextYieldDate(investment, day, suspended)?.toISOString() ?? null;
}

function allocationOf({ investment, strategy, day }: Shown): Record<string, AllocationResponse> {
  const amounts = allocate(investment.amount, strategy.protocols);
  const values = allocate(valueOf(investment, day), strategy.protocols);
  return Object.fromEntries(
    strategy.protocols.map(({ name, weight }) => [
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

export function performanceOf(shown: Shown): InvestmentPerformanceResponse {
  const { investment, strategy, day } = shown;
  const value = valueOf(investment, day);
  const { principal, growth } = investment.closedPart;
  const earnings = value.minus(investment.amount).plus(growth); // and what is realised already
  const earning = statusOf(shown) === 'active' ? value : Money.ZERO;
  const rise = day.next.minus(day.nav);
  return {
    currentValue: value.toWire(),
    totalEarnings: earnings.toWire(),
    roi: percentOf(earnings, investment.amount.plus(principal), ROI_DECIMALS),
    dailyYield: earning.times(rise).dividedBy(day.nav).roundHalfEven(MICRO_SCALE).toWire(),
    projectedAnnualReturn: earning.times(strategy.apy).dividedBy(HUNDRED).roundHalfEven(MICRO_SCALE).toWire(),
  };
}
