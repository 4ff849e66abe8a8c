import { UNIT_SCALE, MICRO_SCALE, Money } from '../../../common/money.js';
import { pagedResponse, type EnvelopedResponse } from '../../../http/response/enveloped-response.js';
import { meanYield } from '../strategies/domain/apy.js';
import { topStrategy } from './domain/allocation.js';
import type { Strategy } from '../strategies/entities/strategy.entity.js';
import type {
  AdminInvestmentView,
  InvestmentsPage,
  InvestmentSummary,
  OwnedInvestment,
  QueuedInvestment,
} from './admin-investments.service.js';
import type { Closing } from './domain/closing.js';
import { shownStatus } from './domain/investment.js';
import { adminStatus, type InvestmentStatus } from './domain/investment.state-machine.js';
import { lastUpdateOf } from './domain/valuation.js';
import type { InvestmentTotals } from './investment-totals.repository.js';
import {
  type AdminInvestmentDetailResponse,
  AdminInvestmentResponse,
  type AdminInvestmentsSummaryResponse,
  type ClosedByAdminResponse,
  type ClosingNowResponse,
  type InvestmentReconciliationResponse,
  type InvestmentStepResponse,
  type QueuedInvestmentResponse,
} from './dto/admin-investment.response.js';
import type { AdminInvestmentsQuery } from './dto/investments.request.js';
import {
  toClosedPartsResponse,
  toClosingAmounts,
  toCommonFields,
  toEndFields,
  toInvestmentPerformanceResponse,
  toPrincipalByProtocol,
} from './investments.mapper.js';
import { ComplianceResponse } from '../../identity/users/dto/user.response.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toAdminInvestmentResponse({ investment, owner }: OwnedInvestment): AdminInvestmentResponse {
  const performance = toInvestmentPerformanceResponse(investment);
  const { currentValue, totalEarnings, roi } = performance;
  return toResponse(AdminInvestmentResponse, investment, {
    ...toCommonFields(investment),
    userEmail: owner.email,
    walletAddress: owner.walletAddress,
    currency: 'USDC',
    status: adminStatus(investment.status),
    paused: shownStatus(investment) === 'paused',
    allocation: toPrincipalByProtocol(investment),
    performance,
    currentValue,
    totalEarnings,
    roi,
    ...toEndFields(investment),
    lastUpdatedAt: lastUpdateOf(investment, investment.day),
  });
}

export function toAdminInvestmentsPage(
  { rows, totals, ...count }: InvestmentsPage,
  query: AdminInvestmentsQuery,
  strategies: readonly Strategy[],
): EnvelopedResponse<AdminInvestmentResponse[]> {
  return pagedResponse(rows.map(toAdminInvestmentResponse), query, count, {
    summary: toAdminInvestmentsSummaryResponse(totals, strategies, count.asOf),
  });
}

export function toQueuedInvestmentResponse(queued: QueuedInvestment): QueuedInvestmentResponse {
  return {
    ...toAdminInvestmentResponse(queued),
    userVerificationStatus: queued.compliance.kycStatus,
    riskAssessment: queued.risk,
    complianceChecks: toResponse(ComplianceResponse, queued.compliance),
  };
}

export function toClosedByAdminResponse({
  closing,
  after,
}: {
  closing: Closing;
  after: OwnedInvestment;
}): ClosedByAdminResponse {
  const { investment } = after;
  return {
    investmentId: investment.id,
    status: adminStatus(investment.status),
    ...toClosingResponse(closing),
    closedAt: investment.updatedAt.toISOString(),
    investment: toAdminInvestmentResponse(after),
  };
}

export function toAdminInvestmentDetailResponse(detail: AdminInvestmentView): AdminInvestmentDetailResponse {
  const { investment, owner, issueNav, closingNow } = detail;
  return {
    ...toAdminInvestmentResponse(detail),
    user: {
      id: investment.userId,
      email: owner.email,
      walletAddress: owner.walletAddress,
      verificationStatus: detail.compliance.kycStatus,
      accountCreated: owner.accountCreatedAt.toISOString(),
    },
    units: investment.units.toString(),
    navAtIssue: issueNav && toNavText(issueNav),
    navNow: toNavText(investment.day.nav),
    daysHeld: detail.daysHeld,
    ifClosedNow: closingNow && toClosingResponse(closingNow),
    closedParts: toClosedPartsResponse(investment),
    movedFrom: investment.movedFrom,
    movedTo: investment.movedTo,
    lifecycle: toLifecycle(detail),
  };
}

function toNavText(nav: Money): string {
  return nav.roundHalfEven(UNIT_SCALE).toString();
}

function toClosingResponse(closing: Closing): ClosingNowResponse {
  const amounts = toClosingAmounts(closing);
  return {
    ...amounts,
    closedValue: amounts.finalValue,
    closedPrincipal: amounts.initialInvestment,
    realisedEarnings: amounts.totalEarnings,
  };
}

function toLifecycle({ investment, owner, closings }: AdminInvestmentView): InvestmentStepResponse[] {
  const { createdAt, approvedAt, approvedBy, endedAt, endedBy, issuedOn, finalValue, fees } = investment;
  const emptyFields = { ...toStepValue(null), fees: null, note: null };
  const isClosed = investment.status === 'closed';
  const neededApproval = approvedAt !== null || issuedOn === null; // without approval, units are issued at the creation
  const steps: InvestmentStepResponse[] = [
    {
      ...emptyFields,
      event: 'created',
      status: neededApproval ? 'pending' : 'active',
      at: createdAt.toISOString(),
      by: owner.email,
    },
  ];
  if (approvedAt && approvedBy !== null)
    steps.push({
      ...emptyFields,
      event: 'approved',
      status: 'active',
      at: approvedAt.toISOString(),
      by: approvedBy,
    });
  for (const closing of closings.toReversed())
    steps.push({
      event: 'partially_closed',
      status: 'active',
      at: closing.at.toISOString(),
      by: closing.closedBy,
      ...toStepValue(closing.value),
      fees: closing.managementFee.plus(closing.performanceFee).plus(closing.carriedFee).toWire(),
      note: null,
    });
  if (endedAt)
    steps.push({
      event: endEventOf(isClosed, { moved: investment.movedTo !== null, byAdmin: endedBy !== null }),
      status: adminStatus(investment.status),
      at: endedAt.toISOString(),
      by: endedBy ?? owner.email,
      ...toStepValue(isClosed ? finalValue : null),
      fees: isClosed ? fees.toWire() : null,
      note: investment.note,
    });
  return steps;
}

function toStepValue(value: Money | null): Pick<InvestmentStepResponse, 'finalValue' | 'closedValue'> {
  const finalValue = value && value.toWire();
  return { finalValue, closedValue: finalValue };
}

function endEventOf(isClosed: boolean, { moved, byAdmin }: { moved: boolean; byAdmin: boolean }) {
  if (isClosed) return moved ? 'moved' : 'closed';
  return byAdmin ? 'rejected' : 'cancelled';
}

function toAdminInvestmentsSummaryResponse(
  totals: readonly InvestmentTotals[],
  strategies: readonly Strategy[],
  asOf: Date,
): AdminInvestmentsSummaryResponse {
  const count = countOf(totals);
  const average = count === 0 ? Money.ZERO : sumOf(totals, 'amount').dividedBy(Money.of(String(count)));
  return {
    totalInvestments: count,
    totalValue: sumOf(totals.filter(isOpen), 'value').toWire(),
    totalEarnings: sumOf(totals, 'earnings').toWire(),
    activeInvestments: countOf(totals, 'active'),
    pendingInvestments: countOf(totals, 'pending'),
    averageInvestment: average.roundHalfEven(MICRO_SCALE).toWire(),
    topStrategy: topStrategy(
      strategies.map(({ id }) => ({
        strategyId: id,
        value: sumOf(
          totals.filter((group) => group.strategyId === id && isOpen(group)),
          'value',
        ),
      })),
    ),
    asOf: asOf.toISOString(),
  };
}

export function toInvestmentReconciliationResponse(
  { totals, asOf, days, changedAt }: InvestmentSummary,
  strategies: readonly Strategy[],
): InvestmentReconciliationResponse {
  const open = totals.filter(isOpen);
  const active = totals.filter(({ status }) => status === 'active');
  const yields = active.map(({ strategyId, value }) => ({
    value,
    apy: days.get(strategyId)?.achievedApy ?? null,
    target: strategies.find(({ id }) => id === strategyId)?.apy ?? null,
  }));
  return {
    summary: {
      totalInvestments: countOf(totals),
      totalAmount: sumOf(open, 'amount').toWire(),
      activeStrategies: new Set(open.map(({ strategyId }) => strategyId)).size,
    },
    byStrategy: Object.fromEntries(
      strategies.map(({ id }) => {
        const groups = open.filter(({ strategyId }) => strategyId === id);
        return [id, sumOf(groups, 'amount').toFixed(MICRO_SCALE)];
      }),
    ),
    byStatus: {
      active: countOf(totals, 'active'),
      pending: countOf(totals, 'pending'),
      completed: countOf(totals, 'closed'),
      cancelled: countOf(totals, 'cancelled'),
    },
    performanceStats: {
      totalYield: sumOf(totals, 'earnings').toWire(),
      averageYieldRate: meanYield(yields),
      targetApy: meanYield(yields.map(({ value, target }) => ({ value, apy: target }))),
      lastUpdated: changedAt?.toISOString() ?? null,
    },
    asOf: asOf.toISOString(),
  };
}

function isOpen({ status }: InvestmentTotals): boolean {
  return status === 'active' || status === 'pending';
}

function sumOf(totals: readonly InvestmentTotals[], field: 'amount' | 'value' | 'earnings'): Money {
  return Money.sum(totals.map((group) => group[field])).roundHalfEven(MICRO_SCALE);
}

function countOf(totals: readonly InvestmentTotals[], status?: InvestmentStatus): number {
  const counted = totals.filter((group) => status === undefined || group.status === status);
  return counted.reduce((sum, { count }) => sum + count, 0);
}
