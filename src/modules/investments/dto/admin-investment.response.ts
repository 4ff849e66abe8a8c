import {
  Choice,
  Flag,
  Instant,
  MapOf,
  MoneyText,
  Nested,
  Ratio,
  Text,
  Uuid,
} from '../../../http/openapi/fields.js';
import { asNumber } from '../../../common/ratio.js';
import type { OwnedInvestment } from '../admin-investments.rows.js';
import { totalFees, type Closing } from '../domain/closing.js';
import { lastUpdateOf } from '../domain/valuation.js';
import type { InvestmentStatus } from '../domain/investment.state-machine.js';
import {
  ABOUT_INVESTMENT,
  InvestmentFeesResponse,
  InvestmentPerformanceResponse,
} from './investment.response.js';
import {
  toFeesResponse,
  nextYield,
  toOriginResponse,
  performanceOf,
  principalByProtocol,
  statusOf,
} from '../investments.mapper.js';

// What admins see in lists, and after each action.

export const ADMIN_STATUSES = ['active', 'pending', 'completed', 'cancelled'] as const;
export type AdminStatus = (typeof ADMIN_STATUSES)[number];

/** The status `closed` of users is `completed` for admins. */
export const STORED_STATUS: Record<AdminStatus, InvestmentStatus> = {
  active: 'active',
  pending: 'pending',
  completed: 'closed',
  cancelled: 'cancelled',
};

export function adminStatus(status: InvestmentStatus): AdminStatus {
  return status === 'closed' ? 'completed' : status;
}

export class AdminInvestmentResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @Text({ example: 'ann@example.org' }) userEmail!: string;
  @Text({ nullable: true, description: 'the wallet that the user linked first' })
  walletAddress!: string | null;
  @Text({ example: 'balanced-10' }) strategyId!: string;
  @Text() strategyName!: string;
  @MoneyText(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyText(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyText(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @Choice(['USDC']) currency!: string;
  @Ratio({ description: 'target, percent a year' }) apy!: number;
  @Choice(ADMIN_STATUSES) status!: string;
  @Flag({ description: 'active in a strategy that is suspended: it keeps its value and does not grow' })
  paused!: boolean;
  @MapOf({ type: 'string' }, ABOUT_INVESTMENT.allocation)
  allocation!: Record<string, string>;
  @Nested(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @MoneyText(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyText(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @Ratio(ABOUT_INVESTMENT.roi) roi!: number;
  @Instant() createdAt!: string;
  @Instant(ABOUT_INVESTMENT.lastUpdated) lastUpdatedAt!: string;
  @Instant(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
  @Text({ nullable: true, example: 'admin@example.com' }) approvedBy!: string | null;
  @Instant({ nullable: true }) approvedAt!: string | null;
}

export function toAdminInvestmentResponse({ shown, owner }: OwnedInvestment): AdminInvestmentResponse {
  const { investment, strategy } = shown;
  const performance = performanceOf(shown);
  return {
    id: investment.id,
    userId: investment.userId,
    userEmail: owner.email,
    walletAddress: owner.walletAddress,
    strategyId: strategy.id,
    strategyName: strategy.name,
    amount: investment.amount.toWire(),
    ...toOriginResponse(investment.origin),
    currency: 'USDC',
    apy: asNumber(strategy.apy),
    status: adminStatus(investment.status),
    paused: statusOf(shown) === 'paused',
    allocation: principalByProtocol(shown),
    performance,
    currentValue: performance.currentValue,
    totalEarnings: performance.totalEarnings,
    roi: performance.roi,
    createdAt: investment.createdAt.toISOString(),
    lastUpdatedAt: lastUpdateOf(investment, shown.day).toISOString(),
    nextYieldDate: nextYield(shown),
    approvedBy: investment.approvedBy,
    approvedAt: investment.approvedAt?.toISOString() ?? null,
  };
}

/** What a closing comes to: the fields say the same in every view. */
export const CLOSING_FIELDS = {
  value: { description: 'what is redeemed of its value, before fees' },
  principal: { description: 'the share of the principal in closedValue' },
  earnings: { description: 'closedValue less closedPrincipal' },
  withdrawn: { description: 'closedValue less fees: what the user has available again' },
};

export class ClosedByAdminResponse {
  @Uuid() investmentId!: string;
  @Choice(['active', 'completed'], { description: 'active while a part of it is left' }) status!: string;
  @MoneyText(CLOSING_FIELDS.value) closedValue!: string;
  @MoneyText(CLOSING_FIELDS.principal) closedPrincipal!: string;
  @MoneyText(CLOSING_FIELDS.earnings) realisedEarnings!: string;
  @Nested(() => InvestmentFeesResponse) fees!: InvestmentFeesResponse;
  @MoneyText(CLOSING_FIELDS.withdrawn)
  withdrawnAmount!: string;
  @Instant() closedAt!: string;
  @Nested(() => AdminInvestmentResponse, { description: 'as it stands now' })
  investment!: AdminInvestmentResponse;
}

export function toClosedByAdminResponse({
  closing,
  after,
}: {
  closing: Closing;
  after: OwnedInvestment;
}): ClosedByAdminResponse {
  const { investment } = after.shown;
  return {
    investmentId: investment.id,
    status: adminStatus(investment.status),
    closedValue: closing.value.toWire(),
    closedPrincipal: closing.principal.toWire(),
    realisedEarnings: closing.growth.toWire(),
    fees: toFeesResponse(closing.fees),
    withdrawnAmount: closing.value.minus(totalFees(closing)).toWire(),
    closedAt: investment.updatedAt.toISOString(),
    investment: toAdminInvestmentResponse(after),
  };
}
