import { MICRO_SCALE, Money } from '../../../common/money.js';
import { asNumber, HUNDRED, percentOf } from '../../../common/ratio.js';
import { toResponse } from '../../../http/response/to-response.js';
import { splitByWeight } from './domain/allocation.js';
import { totalFees, type Closing, type Fees } from './domain/closing.js';
import {
  earningsOf,
  initialPrincipalOf,
  originOf,
  payoutOf,
  shownStatus,
  type InvestmentDetails,
} from './domain/investment.js';
import { lastUpdateOf, nextYieldDate, valueOf } from './domain/valuation.js';
import type { Investment } from './entities/investment.entity.js';
import type { ClosedInvestment } from './investment-closings.service.js';
import {
  type AllocationResponse,
  type CancelledInvestmentResponse,
  type ClosedPartsResponse,
  InvestmentDetailResponse,
  InvestmentItemResponse,
  type InvestmentPerformanceResponse,
  InvestmentResponse,
  type ClosedInvestmentResponse,
  type ClosingAmountsFields,
  type ClosingQuoteResponse,
  type InvestmentFeesResponse,
} from './dto/investment.response.js';
import type { ClosingQuote } from './portfolio.service.js';

export const ROI_DECIMALS = 4;

export function toInvestmentResponse(details: InvestmentDetails): InvestmentResponse {
  return toResponse(InvestmentResponse, details, {
    ...toCommonFields(details),
    status: shownStatus(details),
    currency: 'USDC',
    allocation: toPrincipalByProtocol(details),
    performance: toInvestmentPerformanceResponse(details),
    lastUpdated: lastUpdateOf(details, details.day),
  });
}

export function toInvestmentDetailResponse(details: InvestmentDetails): InvestmentDetailResponse {
  const performance = toInvestmentPerformanceResponse(details);
  return toResponse(InvestmentDetailResponse, details, {
    ...toItemFields(details, performance),
    currency: 'USDC',
    allocation: toAllocationResponses(details),
    performance,
    lastUpdated: lastUpdateOf(details, details.day),
  });
}

export function toInvestmentItemResponse(details: InvestmentDetails): InvestmentItemResponse {
  return toResponse(
    InvestmentItemResponse,
    details,
    toItemFields(details, toInvestmentPerformanceResponse(details)),
  );
}

function toItemFields(
  details: InvestmentDetails,
  { currentValue, totalEarnings, roi }: InvestmentPerformanceResponse,
) {
  return {
    ...toCommonFields(details),
    status: shownStatus(details),
    currentValue,
    totalEarnings,
    roi,
    ...toEndFields(details),
    closedParts: toClosedPartsResponse(details),
  };
}

/** The fields of every answer about an investment that the entity does not have. */
export function toCommonFields(details: InvestmentDetails) {
  const { strategy, day, suspended } = details;
  return {
    strategyName: strategy.name,
    firstPrincipal: originOf(details).firstPrincipal,
    apy: asNumber(strategy.apy),
    nextYieldDate: nextYieldDate(details, day, suspended),
  };
}

/**
 * Growth counts from the first principal of the chain of moves, so that the earnings of the closed and of the open part add up to all
 * growth.
 */
export function toClosedPartsResponse(investment: Investment): ClosedPartsResponse {
  const { closedParts, closedPrincipal, closedGrowth, closedFees, closedEarlierGrowth } = investment;
  return {
    count: closedParts,
    principal: closedPrincipal.minus(closedEarlierGrowth).toWire(),
    earnings: closedGrowth.plus(closedEarlierGrowth).toWire(),
    fees: closedFees.toWire(),
  };
}

export function toClosedInvestmentResponse({
  closing,
  investment,
}: ClosedInvestment): ClosedInvestmentResponse {
  return {
    investmentId: investment.id,
    status: 'closed',
    ...toClosingAmounts(closing),
    firstPrincipal: originOf(investment).firstPrincipal.toWire(),
    roi: percentOf(closing.growth, closing.principal, ROI_DECIMALS),
    closedAt: investment.updatedAt.toISOString(),
  };
}

export function toClosingAmounts(closing: Closing): ClosingAmountsFields {
  return {
    finalValue: closing.price.toWire(),
    initialInvestment: closing.principal.toWire(),
    totalEarnings: closing.growth.toWire(),
    withdrawnAmount: closing.price.minus(totalFees(closing)).toWire(),
    fees: toFeesResponse(closing.fees),
  };
}

export function toClosingQuoteResponse(quote: ClosingQuote): ClosingQuoteResponse {
  const { investment, closing, lockedUntil, at, validUntil } = quote;
  const amounts = toClosingAmounts(closing);
  return {
    investmentId: investment.id,
    amount: amounts.finalValue,
    ...amounts,
    value: amounts.finalValue,
    principal: amounts.initialInvestment,
    earnings: amounts.totalEarnings,
    payout: amounts.withdrawnAmount,
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

/** The fields are null while the investment is open. */
export function toEndFields(investment: Investment) {
  const payout = payoutOf(investment);
  return { finalValue: payout && (investment.finalValue ?? investment.amount), withdrawnAmount: payout };
}

function toFeesResponse(fees: Fees): InvestmentFeesResponse {
  return {
    managementFee: fees.management.toWire(),
    performanceFee: fees.performance.toWire(),
    carriedFees: fees.carried.toWire(),
    gasFee: Money.ZERO.toWire(),
  };
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
  const { strategy, day } = details;
  const value = valueOf(details, day);
  const earnings = earningsOf(details, value);
  const earningValue = shownStatus(details) === 'active' ? value : Money.ZERO;
  const rise = day.next.minus(day.nav);
  return {
    currentValue: value.toWire(),
    totalEarnings: earnings.toWire(),
    roi: percentOf(earnings, initialPrincipalOf(details), ROI_DECIMALS),
    dailyYield: earningValue.times(rise).dividedBy(day.nav).roundHalfEven(MICRO_SCALE).toWire(),
    projectedAnnualReturn: earningValue
      .times(strategy.apy)
      .dividedBy(HUNDRED)
      .roundHalfEven(MICRO_SCALE)
      .toWire(),
  };
}
