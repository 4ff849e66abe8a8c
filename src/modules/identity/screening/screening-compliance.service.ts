import { Injectable } from '@nestjs/common';
import { paymentSubjects, userSubject, VERDICTS, type StoredVerdict } from './domain/verdict.js';
import { ScreeningService } from './screening.service.js';

const MEDIUM_RISK_FROM = 40;
const HIGH_RISK_FROM = 70;

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

/** The result if no check was made. */
export const NOT_CHECKED: ComplianceResult = {
  kycStatus: 'not_checked',
  amlChecks: 'not_checked',
  sanctionsList: 'not_checked',
  riskLevel: 'not_checked',
  screenedAt: null,
  screeningReference: null,
};

/** Screening is not an identity check, so `kycStatus` does not change. */
const PENDING: ComplianceResult = {
  ...NOT_CHECKED,
  amlChecks: 'pending',
  sanctionsList: 'pending',
  riskLevel: 'pending',
};

/** Screening results as admins see them. */
@Injectable()
export class ScreeningComplianceService {
  constructor(private readonly screening: ScreeningService) {}

  /** The results of all users of a list, with one statement. */
  async resultsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceResult>> {
    if (!this.screening.isConfigured) return new Map(userIds.map((id) => [id, NOT_CHECKED]));
    const verdicts = await this.screening.getNewestVerdicts(userIds.map(userSubject));
    return new Map(userIds.map((id) => [id, resultFrom([verdicts.get(userSubject(id))])]));
  }

  /** Combines the verdicts on each payment's user and address, in the order of `payments`. */
  async resultsOfPayments(
    payments: readonly { readonly userId: string; readonly toAddress: string }[],
  ): Promise<ComplianceResult[]> {
    if (!this.screening.isConfigured) return payments.map(() => NOT_CHECKED);
    const subjects = [...new Set(payments.flatMap(paymentSubjects))];
    const verdicts = await this.screening.getNewestVerdicts(subjects);
    return payments.map((payment) =>
      resultFrom(paymentSubjects(payment).map((subject) => verdicts.get(subject))),
    );
  }
}

/**
 * Combines the verdicts on the subjects of a user or payment. While a verdict is missing or outdated, `pending` replaces `clear`
 * and the risks `low` and `medium`.
 */
export function resultFrom(verdictsOfSubjects: readonly (StoredVerdict | undefined)[]): ComplianceResult {
  const verdicts = verdictsOfSubjects.flatMap((verdict) => (!verdict || verdict.isOutdated ? [] : [verdict]));
  const isComplete = verdicts.length === verdictsOfSubjects.length;
  const [worst] = verdicts.toSorted(
    (a, b) =>
      VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict) || // of equal verdicts the older one
      a.screenedAt.getTime() - b.screenedAt.getTime(),
  );
  if (!worst) return PENDING;
  const goodResult = isComplete ? 'clear' : 'pending';
  const isListed = verdicts.some(({ lists }) => lists.length > 0);
  const risk = Math.max(...verdicts.map(({ riskScore }) => riskScore));
  return {
    kycStatus: NOT_CHECKED.kycStatus,
    amlChecks: worst.verdict === 'clear' ? goodResult : worst.verdict,
    sanctionsList: isListed ? 'listed' : goodResult,
    riskLevel: riskLevelOf(risk, isComplete),
    screenedAt: worst.screenedAt,
    screeningReference: worst.reference,
  };
}

function riskLevelOf(highestRisk: number, isComplete: boolean): ComplianceResult['riskLevel'] {
  if (highestRisk >= HIGH_RISK_FROM) return 'high';
  if (!isComplete) return 'pending';
  return highestRisk >= MEDIUM_RISK_FROM ? 'medium' : 'low';
}
