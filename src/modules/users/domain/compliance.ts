/** What compliance checks found of a user or a payment. */
export interface ComplianceFigures {
  readonly kycStatus: string;
  readonly amlChecks: string;
  readonly sanctionsList: string;
  readonly riskLevel: string;
  /** When and under which reference the provider answered; null without an answer. */
  readonly screenedAt: Date | null;
  readonly screeningReference: string | null;
}

/** Reads what is known of users. A port, implemented by the screening module: asked once for all users of a list. */
export abstract class Compliance {
  abstract figuresOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceFigures>>;
}

/** Nothing was looked at: nothing is invented. */
export const NOT_CHECKED: ComplianceFigures = {
  kycStatus: 'not_checked',
  amlChecks: 'not_checked',
  sanctionsList: 'not_checked',
  riskLevel: 'not_checked',
  screenedAt: null,
  screeningReference: null,
};
