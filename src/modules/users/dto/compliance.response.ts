import { Instant, Text } from '../../../http/openapi/fields.js';
export const ABOUT_COMPLIANCE = {
  kyc: 'not_checked: nobody checks identities',
  aml: 'clear, review or blocked; pending until the first answer; not_checked where no screening is configured',
  sanctions: 'clear or listed; pending until the first answer; not_checked where no screening is configured',
  risk: 'low, medium or high; pending until the first answer; not_checked where no screening is configured',
  at: 'when the screening provider answered; null without an answer',
  reference: "the screening provider's reference of that answer",
} as const;

export class ComplianceResponse {
  @Text({ example: 'not_checked', description: ABOUT_COMPLIANCE.kyc })
  kycStatus!: string;
  @Text({ example: 'clear', description: ABOUT_COMPLIANCE.aml })
  amlChecks!: string;
  @Text({ example: 'clear', description: ABOUT_COMPLIANCE.sanctions })
  sanctionsList!: string;
  @Text({ example: 'low', description: ABOUT_COMPLIANCE.risk })
  riskLevel!: string;
  @Instant({ nullable: true, description: ABOUT_COMPLIANCE.at })
  screenedAt!: string | null;
  @Text({ nullable: true, description: ABOUT_COMPLIANCE.reference })
  screeningReference!: string | null;
}
