import {
  AsOf,
  Choice,
  Count,
  Flag,
  Instant,
  ListOf,
  MapOf,
  MoneyText,
  Nested,
  Ratio,
  replacedBy,
  Text,
  Uuid,
} from '../../../../http/openapi/fields.js';
import { RISK_LEVELS } from '../../../../config/strategies-file.js';
import { ComplianceResponse } from '../../../identity/users/dto/profile.response.js';
import { ABOUT_ACHIEVED } from '../../strategies/domain/achieved-apy.js';
import { ADMIN_STATUSES } from '../domain/investment.state-machine.js';
import { USER_RISK_LEVELS } from '../domain/investment.js';
import { ClosingAmountsFields } from './closing.response.js';
import {
  ABOUT_INVESTMENT,
  ClosedPartsResponse,
  InvestmentPerformanceResponse,
  MEAN_YIELD,
} from './investment.response.js';

export class AdminInvestmentsSummaryResponse {
  @Count({
    description:
      'investments that match the filter, on all pages; all figures of the summary are about these. An investment that was moved counts once, where it is now',
  })
  totalInvestments!: number;
  @MoneyText({ description: 'current value of the active and pending ones, rounded once' })
  totalValue!: string;
  @MoneyText({
    description:
      'sum of totalEarnings, in all statuses, and without a filter by status the growth of parts that were closed before a move',
  })
  totalEarnings!: string;
  @Count({ description: 'investments in status active' }) activeInvestments!: number;
  @Count({ description: 'investments in status pending' }) pendingInvestments!: number;
  @MoneyText({ description: 'average of amount, in all statuses; 0.00 without investments' })
  averageInvestment!: string;
  @Text({
    nullable: true,
    example: 'balanced-10',
    description: 'the strategy with the highest value of active and pending investments; null without any',
  })
  topStrategy!: string | null;
  @AsOf() asOf!: string;
}

export class ReconciledTotalsResponse {
  @Count({ description: 'every investment ever made; a move makes none' }) totalInvestments!: number;
  @MoneyText({
    description:
      'principal of active and pending investments, the sum of byStrategy; equals the invested balances of the ledger',
  })
  totalAmount!: string;
  @Count({ description: 'strategies that hold an active or pending investment' }) activeStrategies!: number;
}

export class InvestmentStatusCountsResponse {
  @Count({ description: 'including those of suspended strategies' }) active!: number;
  @Count({ description: 'those that wait for approval' }) pending!: number;
  @Count({ description: 'closed' }) completed!: number;
  @Count({ description: 'cancelled or rejected' }) cancelled!: number;
}

export class PerformanceStatsResponse {
  @MoneyText({
    description:
      'growth of all investments so far: current growth of open ones, realised growth of closed ones; forfeited growth does not count',
  })
  totalYield!: string;
  @Ratio({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) averageYieldRate!:
    number | null;
  @Ratio({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!: number | null;
  @Instant({
    nullable: true,
    description:
      'last change of an investment, or the last midnight at which the value of a strategy with active investments changed; null without an investment',
  })
  lastUpdated!: string | null;
}

export class InvestmentReconciliationResponse {
  @Nested(() => ReconciledTotalsResponse) summary!: ReconciledTotalsResponse;
  @MapOf(
    { type: 'string', pattern: '^\\d+\\.\\d{6}$' },
    {
      description: 'principal of active and pending investments of every strategy, with exactly six decimals',
      example: { 'conservative-5': '0.000000', 'balanced-10': '1500.250000', 'aggressive-20': '20.000000' },
    },
  )
  byStrategy!: Record<string, string>;
  @Nested(() => InvestmentStatusCountsResponse, { description: 'together totalInvestments' })
  byStatus!: InvestmentStatusCountsResponse;
  @Nested(() => PerformanceStatsResponse) performanceStats!: PerformanceStatsResponse;
  @AsOf() asOf!: string;
}

export class InvestmentQueueSummaryResponse {
  @Count({ description: 'investments in status pending, on all pages' }) totalPending!: number;
  @MoneyText({ description: 'sum of their amount' }) totalPendingValue!: string;
  @Instant({ nullable: true, description: 'creation time of the oldest of them; null without any' })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'average seconds since their creation; null without any',
  })
  averageWaitTime!: number | null;
  @AsOf() asOf!: string;
}

export class AdminInvestmentResponse {
  @Uuid() id!: string;
  @Uuid() userId!: string;
  @Text({ example: 'ann@example.org' }) userEmail!: string;
  @Text({ nullable: true, description: 'the first linked wallet that is not suspended' })
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
  @MoneyText(ABOUT_INVESTMENT.finalValue) finalValue!: string | null;
  @MoneyText(ABOUT_INVESTMENT.withdrawnAmount) withdrawnAmount!: string | null;
  @Instant(ABOUT_INVESTMENT.endedAt) endedAt!: string | null;
}

export class ClosingNowResponse extends ClosingAmountsFields {
  @MoneyText(replacedBy('finalValue')) closedValue!: string;
  @MoneyText(replacedBy('initialInvestment')) closedPrincipal!: string;
  @MoneyText(replacedBy('totalEarnings')) realisedEarnings!: string;
}

export class ClosedByAdminResponse extends ClosingNowResponse {
  @Uuid() investmentId!: string;
  @Choice(['active', 'completed'], { description: 'active if only a part was closed' }) status!: string;
  @Instant() closedAt!: string;
  @Nested(() => AdminInvestmentResponse, { description: 'after the closing' })
  investment!: AdminInvestmentResponse;
}

export class InvestmentOwnerResponse {
  @Uuid() id!: string;
  @Text({ example: 'ann@example.org' }) email!: string;
  @Text({ nullable: true, description: 'the first linked wallet that is not suspended' })
  walletAddress!: string | null;
  @Text({ example: 'not_checked' }) verificationStatus!: string;
  @Instant() accountCreated!: string;
}

const LIFECYCLE_EVENTS = [
  'created',
  'approved',
  'partially_closed',
  'closed',
  'moved',
  'cancelled',
  'rejected',
] as const;

export class InvestmentStepResponse {
  @Choice(LIFECYCLE_EVENTS) event!: (typeof LIFECYCLE_EVENTS)[number];
  @Choice(ADMIN_STATUSES, { description: 'after the event' }) status!: string;
  @Instant() at!: string;
  @Text({ description: 'e-mail address of the user or admin' }) by!: string;
  @MoneyText({ nullable: true, description: 'for a closing, its value before fees; null for other events' })
  finalValue!: string | null;
  @MoneyText({ nullable: true, ...replacedBy('finalValue') }) closedValue!: string | null;
  @MoneyText({ nullable: true, description: 'for a closing, its fees; null for other events' })
  fees!: string | null;
  @Text({ nullable: true, description: 'reason of a rejection' }) note!: string | null;
}

export class AdminInvestmentDetailResponse extends AdminInvestmentResponse {
  @Nested(() => InvestmentOwnerResponse) user!: InvestmentOwnerResponse;
  @Text({
    example: '99.973890812',
    description: 'units that the investment holds; for an ended investment, those that it held at its end',
  })
  units!: string;
  @Text({
    nullable: true,
    example: '1.000261157876067812161687',
    description: 'value of one unit when the units were issued; null before that',
  })
  navAtIssue!: string | null;
  @Text({ example: '1.002614', description: 'value of one unit of the strategy today' }) navNow!: string;
  @Count({
    description:
      'calendar days from the creation to today, or to the end of an ended investment. The management fee is computed from them.',
  })
  daysHeld!: number;
  @Nested(() => ClosingNowResponse, {
    nullable: true,
    description: 'amounts of closing the whole investment now; null if it cannot be closed',
  })
  ifClosedNow!: ClosingNowResponse | null;
  @Nested(() => ClosedPartsResponse, ABOUT_INVESTMENT.closedParts)
  closedParts!: ClosedPartsResponse;
  @Uuid(ABOUT_INVESTMENT.movedFrom) movedFrom!: string | null;
  @Uuid(ABOUT_INVESTMENT.movedTo) movedTo!: string | null;
  @ListOf(() => InvestmentStepResponse, {
    description: 'events, the oldest first; at most 100 partial closings, the newest ones',
  })
  lifecycle!: InvestmentStepResponse[];
}

export class RiskAssessmentResponse {
  @Choice(USER_RISK_LEVELS, {
    description:
      'the level of the user’s risk profile, as `riskProfile.level` of the user; `unknown` where that is null',
  })
  userRiskLevel!: string;
  @Choice(RISK_LEVELS) strategyRiskLevel!: string;
  @Flag({
    nullable: true,
    description: 'whether the risk of the strategy is not higher than userRiskLevel; null if that is unknown',
  })
  match!: boolean | null;
}

export class QueuedInvestmentResponse extends AdminInvestmentResponse {
  @Text({ example: 'not_checked', description: 'the same value as `complianceChecks.kycStatus`' })
  userVerificationStatus!: string;
  @Nested(() => RiskAssessmentResponse) riskAssessment!: RiskAssessmentResponse;
  @Nested(() => ComplianceResponse) complianceChecks!: ComplianceResponse;
}
