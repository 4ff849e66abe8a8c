import { Text } from '../../http/openapi/fields.js';
import type { ComplianceFigures } from './compliance.js';

export class ComplianceView {
  @Text({ example: 'not_checked' })
  kycStatus!: string;
  @Text({ example: 'not_checked' })
  amlChecks!: string;
  @Text({ example: 'not_checked' })
  sanctionsList!: string;
  @Text({ example: 'not_checked' })
  riskLevel!: string;
}

export function complianceView(figures: ComplianceFigures): ComplianceView {
  const { kycStatus, amlChecks, sanctionsList, riskLevel } = figures;
  return { kycStatus, amlChecks, sanctionsList, riskLevel };
}
