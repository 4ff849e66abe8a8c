import { Choice, Count, Flag, Instant, MoneyText, Nested, Text } from '../../../http/openapi/fields.js';
import { ComplianceResponse } from '../../users/dto/compliance.response.js';
import { toComplianceResponse } from '../../users/users.mapper.js';
import { toAdminInvestmentResponse, AdminInvestmentResponse } from './admin-investment.response.js';
import type { QueuedInvestment } from '../investment-queue.queries.js';
import { RISK_LEVELS, USER_RISK_LEVELS } from '../domain/risk-assessment.js';

// What an operator sees of the queue: beside each investment all that is known for a decision.

export class RiskAssessmentResponse {
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
export class QueuedInvestmentResponse extends AdminInvestmentResponse {
  @Text({ example: 'not_checked', description: 'kycStatus of complianceChecks' })
  userVerificationStatus!: string;
  @Nested(() => RiskAssessmentResponse) riskAssessment!: RiskAssessmentResponse;
  @Nested(() => ComplianceResponse) complianceChecks!: ComplianceResponse;
}

export function toQueuedInvestmentResponse(row: QueuedInvestment): QueuedInvestmentResponse {
  const { userRiskLevel, strategyRiskLevel, match } = row.risk;
  return {
    ...toAdminInvestmentResponse(row),
    userVerificationStatus: row.compliance.kycStatus,
    riskAssessment: { userRiskLevel, strategyRiskLevel, match },
    complianceChecks: toComplianceResponse(row.compliance),
  };
}

export class InvestmentQueueSummaryResponse {
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
