/** The result of the compliance checks of a user or a payment. */
export interface ComplianceResult {
  readonly kycStatus: string;
  readonly amlChecks: string;
  readonly sanctionsList: string;
  readonly riskLevel: string;
  /** Time and reference of the provider's answer; null without an answer. */
  readonly screenedAt: Date | null;
  readonly screeningReference: string | null;
}

/** Reads the compliance results of users, with one call for all users of a list. The screening module implements it. */
export abstract class Compliance {
  abstract resultsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceResult>>;
}

/** The result if no check was made. */
export const NOT_CHECKED: ComplianceResult = {
  kycStatus: 'not_checked',
  amlChecks: 'not_checked',
  sanctionsList: 'not_checked',
  riskLevel: 'not_checked',
  screenedAt: null,
  screeningReference: null,
};
