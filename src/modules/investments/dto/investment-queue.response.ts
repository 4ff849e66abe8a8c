import { Choice, Count, Flag, Instant, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import { complianceView, ComplianceView } from '../../users/dto/compliance.response.js';
import { adminInvestmentView, AdminInvestmentView } from './admin-investment.response.js';
import type { QueuedInvestment } from '../investment-queue.queries.js';
import { RISK_LEVELS, USER_RISK_LEVELS } from '../risk-assessment.js';

// What an operator sees of the queue: beside each investment all that is known for a decision.

export class RiskAssessmentView {
  @Choice(USER_RISK_LEVELS, {
    description:
      'the highest risk level of the strategies in which the user holds or has held an active investment; unknown where there is none',
  })
  userRiskLevel!: string;
  @Choice(RISK_LEVELS) strategyRiskLevel!: string;
  @Flag({
    nullable: true,
    description: 'whether the strategy is of no higher risk than that; null where it is unknown',
  })
  match!: boolean | null;
}

/** What the list shows, and more. */
export class QueuedInvestmentView extends AdminInvestmentView {
  @Text({ example: 'not_checked', description: 'kycStatus of complianceChecks' })
  userVerificationStatus!: string;
  @Nested(() => RiskAssessmentView) riskAssessment!: RiskAssessmentView;
  @Nested(() => ComplianceView) complianceChecks!: ComplianceView;
}

export function queuedInvestmentView(row: QueuedInvestment): QueuedInvestmentView {
  const { userRiskLevel, strategyRiskLevel, match } = row.risk;
  return {
    ...adminInvestmentView(row),
    userVerificationStatus: row.compliance.kycStatus,
    riskAssessment: { userRiskLevel, strategyRiskLevel, match },
    complianceChecks: complianceView(row.compliance),
  };
}

export class InvestmentQueueSummaryView {
  @Count({ description: 'investments in status pending, on all pages' }) totalPending!: number;
  @MoneyText({ description: 'sum of their amount' }) totalPendingValue!: string;
  @Instant({ nullable: true, description: 'when the oldest of them was created; null when nothing waits' })
  oldestPending!: string | null;
  @Count({
    nullable: true,
    description: 'seconds since they were created, on average; null when nothing waits',
  })
  averageWaitTime!: number | null;
}
