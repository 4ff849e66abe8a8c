import { MICRO_SCALE, Money } from '../../kernel/money.js';
import { asNumber, percentOf } from '../../kernel/ratio.js';
import type { Strategy } from '../strategies/catalogue.js';
import type { NavDay } from '../strategies/nav-rows.js';
import { allocate } from './allocation.js';
import type { Investment } from './investment.row.js';
import type { ShownStatus } from './investment.transitions.js';
import { nextYieldDate, valueOf } from './investment-value.js';
import type {
  AllocationView,
  InvestmentDetailView,
  InvestmentItemView,
  InvestmentPerformanceView,
  InvestmentView,
} from './investment.views.js';

/** An investment with all that its views are worked out from. */
export interface Shown {
  readonly investment: Investment;
  readonly strategy: Strategy;
  readonly day: NavDay;
  readonly suspended: boolean;
}

export const ROI_DECIMALS = 4;
const HUNDRED = Money.of('100');

export function statusOf({ investment, suspended }: Shown): ShownStatus {
  return investment.status === 'active' && suspended ? 'paused' : investment.status;
}

export function investmentView(shown: Shown): InvestmentView {
  const { investment, strategy } = shown;
  return {
    id: investment.id,
    userId: investment.userId,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    currency: 'USDC',
    apy: asNumber(strategy.apy),
    status: statusOf(shown),
    allocation: Object.fromEntries(
      [...allocate(investment.amount, strategy.protocols)].map(([name, share]) => [name, share.toWire()]),
    ),
    performance: performanceOf(shown),
    createdAt: investment.createdAt.toISOString(),
    lastUpdated: investment.updatedAt.toISOString(),
    nextYieldDate: nextYield(shown),
  };
}

export function investmentDetailView(shown: Shown): InvestmentDetailView {
  const { investment, strategy } = shown;
  const performance = performanceOf(shown);
  return {
    id: investment.id,
    userId: investment.userId,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    currency: 'USDC',
    apy: asNumber(strategy.apy),
    status: statusOf(shown),
    allocation: allocationOf(shown),
    performance,
    currentValue: performance.currentValue,
    totalEarnings: performance.totalEarnings,
    roi: performance.roi,
    createdAt: investment.createdAt.toISOString(),
    lastUpdated: investment.updatedAt.toISOString(),
    nextYieldDate: nextYield(shown),
    approvedBy: investment.approvedBy,
    approvedAt: investment.approvedAt?.toISOString() ?? null,
  };
}

export function investmentItemView(shown: Shown): InvestmentItemView {
  const { investment, strategy } = shown;
  const { currentValue, totalEarnings, roi } = performanceOf(shown);
  return {
    id: investment.id,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    currentValue,
    totalEarnings,
    apy: asNumber(strategy.apy),
    roi,
    status: statusOf(shown),
    createdAt: investment.createdAt.toISOString(),
    nextYieldDate: nextYield(shown),
  };
}

function nextYield({ investment, day, suspended }: Shown): string | null {
  return nextYieldDate(investment, day, suspended)?.toISOString() ?? null;
}

function allocationOf({ investment, strategy, day }: Shown): Record<string, AllocationView> {
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

function performanceOf(shown: Shown): InvestmentPerformanceView {
  const { investment, strategy, day } = shown;
  const value = valueOf(investment, day);
  const earnings = value.minus(investment.amount);
  const earning = statusOf(shown) === 'active' ? value : Money.ZERO;
  const rise = day.next.minus(day.nav);
  return {
    currentValue: value.toWire(),
    totalEarnings: earnings.toWire(),
    roi: percentOf(earnings, investment.amount, ROI_DECIMALS),
    dailyYield: earning.times(rise).dividedBy(day.nav).roundHalfEven(MICRO_SCALE).toWire(),
    projectedAnnualReturn: earning.times(strategy.apy).dividedBy(HUNDRED).roundHalfEven(MICRO_SCALE).toWire(),
  };
}
