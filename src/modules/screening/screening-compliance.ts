import { Injectable } from '@nestjs/common';
import { Compliance, NOT_CHECKED, type ComplianceFigures } from '../users/domain/compliance.js';
import { paymentSubjects, userSubject, VERDICTS } from './screening-provider.js';
import type { StoredVerdict } from './screening-records.js';
import { ScreeningService } from './screening.service.js';

const MEDIUM_FROM = 40;
const HIGH_FROM = 70;

/** Screening is no identity check: `kycStatus` stays as it is. */
const PENDING: ComplianceFigures = {
  ...NOT_CHECKED,
  amlChecks: 'pending',
  sanctionsList: 'pending',
  riskLevel: 'pending',
};

/** What screening found, as admins see it. */
@Injectable()
export class ScreeningCompliance extends Compliance {
  constructor(private readonly screening: ScreeningService) {
    super();
  }

  async figuresOf(userIds: readonly string[]): Promise<ReadonlyMap<string, ComplianceFigures>> {
    if (!this.screening.isConfigured) return new Map(userIds.map((id) => [id, NOT_CHECKED]));
    const verdicts = await this.screening.newest(userIds.map(userSubject));
    return new Map(userIds.map((id) => [id, figuresFrom([verdicts.get(userSubject(id))])]));
  }

  /** Of withdrawals: the worse of what was found of the user and of the address, in the order given. */
  async figuresOfPayments(
    payments: readonly { readonly userId: string; readonly toAddress: string }[],
  ): Promise<ComplianceFigures[]> {
    if (!this.screening.isConfigured) return payments.map(() => NOT_CHECKED);
    const verdicts = await this.screening.newest([...new Set(payments.flatMap(paymentSubjects))]);
    return payments.map((payment) =>
      figuresFrom(paymentSubjects(payment).map((subject) => verdicts.get(subject))),
    );
  }
}

/** A subject without a verdict leaves `pending` what no other verdict makes worse. */
export function figuresFrom(found: readonly (StoredVerdict | undefined)[]): ComplianceFigures {
  const verdicts = found.filter((verdict) => verdict !== undefined);
  const isComplete = verdicts.length === found.length;
  const [worst] = verdicts.toSorted(
    (a, b) =>
      VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict) ||
      a.screenedAt.getTime() - b.screenedAt.getTime(),
  );
  if (!worst) return PENDING;
  const isListed = verdicts.some(({ lists }) => lists.length > 0);
  const risk = Math.max(...verdicts.map(({ riskScore }) => riskScore));
  const isHigh = risk >= HIGH_FROM;
  return {
    kycStatus: NOT_CHECKED.kycStatus,
    amlChecks: isComplete || worst.verdict !== 'clear' ? worst.verdict : 'pending',
    sanctionsList: isListed ? 'listed' : isComplete ? 'clear' : 'pending',
    riskLevel: isHigh ? 'high' : !isComplete ? 'pending' : risk >= MEDIUM_FROM ? 'medium' : 'low',
    screenedAt: worst.screenedAt,
    screeningReference: worst.reference,
  };
}
