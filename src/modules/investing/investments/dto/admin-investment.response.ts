import {
  AsOfField,
  EnumField,
  IntegerField,
  BooleanField,
  InstantField,
  ListField,
  MapField,
  MoneyField,
  NestedField,
  NumberField,
  replacedBy,
  StringField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { RISK_LEVELS } from '../../../../config/strategies-file.js';
import { ComplianceResponse } from '../../../identity/users/dto/user.response.js';
import { ABOUT_ACHIEVED } from '../../strategies/domain/apy.js';
import { ADMIN_STATUSES } from '../domain/investment.state-machine.js';
import { USER_RISK_LEVELS } from '../domain/investment.js';
import {
  ABOUT_INVESTMENT,
  ClosedPartsResponse,
  InvestmentPerformanceResponse,
  MEAN_YIELD,
  ClosingAmountsFields,
} from './investment.response.js';

export class AdminInvestmentsSummaryResponse {
  @IntegerField({
    description:
      'investments that match the filter, on all pages; all figures of the summary are about these. An investment that was moved counts once, where it is now',
  })
  totalInvestments!: number;
  @MoneyField({ description: 'current value of the active and pending ones, rounded once' })
  totalValue!: string;
  @MoneyField({
    description:
      'sum of totalEarnings, in all statuses, and without a filter by status the growth of parts that were closed before a move',
  })
  totalEarnings!: string;
  @IntegerField({ description: 'investments in status active' }) activeInvestments!: number;
  @IntegerField({ description: 'investments in status pending' }) pendingInvestments!: number;
  @MoneyField({ description: 'average of amount, in all statuses; 0.00 without investments' })
  averageInvestment!: string;
  @StringField({
    nullable: true,
    example: 'balanced-10',
    description: 'the strategy with the highest value of active and pending investments; null without any',
  })
  topStrategy!: string | null;
  @AsOfField() asOf!: string;
}

export class ReconciledTotalsResponse {
  @IntegerField({ description: 'every investment ever made; a move makes none' }) totalInvestments!: number;
  @MoneyField({
    description:
      'principal of active and pending investments, the sum of byStrategy; equals the invested balances of the ledger',
  })
  totalAmount!: string;
  @IntegerField({ description: 'strategies that hold an active or pending investment' })
  activeStrategies!: number;
}

export class InvestmentStatusCountsResponse {
  @IntegerField({ description: 'including those of suspended strategies' }) active!: number;
  @IntegerField({ description: 'those that wait for approval' }) pending!: number;
  @IntegerField({ description: 'closed' }) completed!: number;
  @IntegerField({ description: 'cancelled or rejected' }) cancelled!: number;
}

export class PerformanceStatsResponse {
  @MoneyField({
    description:
      'growth of all investments so far: current growth of open ones, realised growth of closed ones; forfeited growth does not count',
  })
  totalYield!: string;
  @NumberField({ nullable: true, description: `${ABOUT_ACHIEVED}. ${MEAN_YIELD}` }) averageYieldRate!:
    number | null;
  @NumberField({ nullable: true, description: `target, percent a year. ${MEAN_YIELD}` }) targetApy!:
    number | null;
  @InstantField({
    nullable: true,
    description:
      'last change of an investment, or the last midnight at which the value of a strategy with active investments changed; null without an investment',
  })
  lastUpdated!: string | null;
}

export class InvestmentReconciliationResponse {
  @NestedField(() => ReconciledTotalsResponse) summary!: ReconciledTotalsResponse;
  @MapField(
    { type: 'string', pattern: '^\\d+\\.\\d{6}$' },
    {
      description: 'principal of active and pending investments of every strategy, with exactly six decimals',
      example: { 'conservative-5': '0.000000', 'balanced-10': '1500.250000', 'aggressive-20': '20.000000' },
    },
  )
  byStrategy!: Record<string, string>;
  @NestedField(() => InvestmentStatusCountsResponse, { description: 'together totalInvestments' })
  byStatus!: InvestmentStatusCountsResponse;
  @NestedField(() => PerformanceStatsResponse) performanceStats!: PerformanceStatsResponse;
  @AsOfField() asOf!: string;
}

export class InvestmentQueueSummaryResponse {
  @IntegerField({ description: 'investments in status pending, on all pages' }) totalPending!: number;
  @MoneyField({ description: 'sum of their amount' }) totalPendingValue!: string;
  @InstantField({ nullable: true, description: 'creation time of the oldest of them; null without any' })
  oldestPending!: string | null;
  @IntegerField({
    nullable: true,
    description: 'average seconds since their creation; null without any',
  })
  averageWaitTime!: number | null;
  @AsOfField() asOf!: string;
}

export class AdminInvestmentResponse {
  @UuidField() id!: string;
  @UuidField() userId!: string;
  @StringField({ example: 'ann@example.org' }) userEmail!: string;
  @StringField({ nullable: true, description: 'the first linked wallet that is not suspended' })
  walletAddress!: string | null;
  @StringField({ example: 'balanced-10' }) strategyId!: string;
  @StringField() strategyName!: string;
  @MoneyField(ABOUT_INVESTMENT.principal) amount!: string;
  @MoneyField(ABOUT_INVESTMENT.firstPrincipal) firstPrincipal!: string;
  @MoneyField(ABOUT_INVESTMENT.carriedFees) carriedFees!: string;
  @EnumField(['USDC']) currency!: string;
  @NumberField({ description: 'target, percent a year' }) apy!: number;
  @EnumField(ADMIN_STATUSES) status!: string;
  @BooleanField({
    description: 'active in a strategy that is suspended: it keeps its value and does not grow',
  })
  paused!: boolean;
  @MapField({ type: 'string' }, ABOUT_INVESTMENT.allocation)
  allocation!: Record<string, string>;
  @NestedField(() => InvestmentPerformanceResponse) performance!: InvestmentPerformanceResponse;
  @MoneyField(ABOUT_INVESTMENT.value) currentValue!: string;
  @MoneyField(ABOUT_INVESTMENT.earnings) totalEarnings!: string;
  @NumberField(ABOUT_INVESTMENT.roi) roi!: number;
  @InstantField() createdAt!: string;
  @InstantField(ABOUT_INVESTMENT.lastUpdated) lastUpdatedAt!: string;
  @InstantField(ABOUT_INVESTMENT.nextYield) nextYieldDate!: string | null;
  @StringField({ nullable: true, example: 'admin@example.com' }) approvedBy!: string | null;
  @InstantField({ nullable: true }) approvedAt!: string | null;
  @MoneyField(ABOUT_INVESTMENT.finalValue) finalValue!: string | null;
  @MoneyField(ABOUT_INVESTMENT.withdrawnAmount) withdrawnAmount!: string | null;
  @InstantField(ABOUT_INVESTMENT.endedAt) endedAt!: string | null;
}

export class ClosingNowResponse extends ClosingAmountsFields {
  @MoneyField(replacedBy('finalValue')) closedValue!: string;
  @MoneyField(replacedBy('initialInvestment')) closedPrincipal!: string;
  @MoneyField(replacedBy('totalEarnings')) realisedEarnings!: string;
}

export class ClosedByAdminResponse extends ClosingNowResponse {
  @UuidField() investmentId!: string;
  @EnumField(['active', 'completed'], { description: 'active if only a part was closed' }) status!: string;
  @InstantField() closedAt!: string;
  @NestedField(() => AdminInvestmentResponse, { description: 'after the closing' })
  investment!: AdminInvestmentResponse;
}

export class InvestmentOwnerResponse {
  @UuidField() id!: string;
  @StringField({ example: 'ann@example.org' }) email!: string;
  @StringField({ nullable: true, description: 'the first linked wallet that is not suspended' })
  walletAddress!: string | null;
  @StringField({ example: 'not_checked' }) verificationStatus!: string;
  @InstantField() accountCreated!: string;
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
  @EnumField(LIFECYCLE_EVENTS) event!: (typeof LIFECYCLE_EVENTS)[number];
  @EnumField(ADMIN_STATUSES, { description: 'after the event' }) status!: string;
  @InstantField() at!: string;
  @StringField({ description: 'e-mail address of the user or admin' }) by!: string;
  @MoneyField({ nullable: true, description: 'for a closing, its value before fees; null for other events' })
  finalValue!: string | null;
  @MoneyField({ nullable: true, ...replacedBy('finalValue') }) closedValue!: string | null;
  @MoneyField({ nullable: true, description: 'for a closing, its fees; null for other events' })
  fees!: string | null;
  @StringField({ nullable: true, description: 'reason of a rejection' }) note!: string | null;
}

export class AdminInvestmentDetailResponse extends AdminInvestmentResponse {
  @NestedField(() => InvestmentOwnerResponse) user!: InvestmentOwnerResponse;
  @StringField({
    example: '99.973890812',
    description: 'units that the investment holds; for an ended investment, those that it held at its end',
  })
  units!: string;
  @StringField({
    nullable: true,
    example: '1.000261157876067812161687',
    description: 'value of one unit when the units were issued; null before that',
  })
  navAtIssue!: string | null;
  @StringField({ example: '1.002614', description: 'value of one unit of the strategy today' })
  navNow!: string;
  @IntegerField({
    description:
      'calendar days from the creation to today, or to the end of an ended investment. The management fee is computed from them.',
  })
  daysHeld!: number;
  @NestedField(() => ClosingNowResponse, {
    nullable: true,
    description: 'amounts of closing the whole investment now; null if it cannot be closed',
  })
  ifClosedNow!: ClosingNowResponse | null;
  @NestedField(() => ClosedPartsResponse, ABOUT_INVESTMENT.closedParts)
  closedParts!: ClosedPartsResponse;
  @UuidField(ABOUT_INVESTMENT.movedFrom) movedFrom!: string | null;
  @UuidField(ABOUT_INVESTMENT.movedTo) movedTo!: string | null;
  @ListField(() => InvestmentStepResponse, {
    description: 'events, the oldest first; at most 100 partial closings, the newest ones',
  })
  lifecycle!: InvestmentStepResponse[];
}

export class RiskAssessmentResponse {
  @EnumField(USER_RISK_LEVELS, {
    description:
      'the level of the user’s risk profile, as `riskProfile.level` of the user; `unknown` where that is null',
  })
  userRiskLevel!: string;
  @EnumField(RISK_LEVELS) strategyRiskLevel!: string;
  @BooleanField({
    nullable: true,
    description: 'whether the risk of the strategy is not higher than userRiskLevel; null if that is unknown',
  })
  match!: boolean | null;
}

export class QueuedInvestmentResponse extends AdminInvestmentResponse {
  @StringField({ example: 'not_checked', description: 'the same value as `complianceChecks.kycStatus`' })
  userVerificationStatus!: string;
  @NestedField(() => RiskAssessmentResponse) riskAssessment!: RiskAssessmentResponse;
  @NestedField(() => ComplianceResponse) complianceChecks!: ComplianceResponse;
}
