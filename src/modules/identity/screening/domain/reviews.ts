import { throwError } from '../../../../common/errors/domain-error.js';
import type { ApprovalSubject, ChangeRequest } from '../../approvals/approvals.types.js';
import type { StoredVerdict, Verdict } from './verdict.js';

const RETRY_AFTER_SECONDS = 5;

/** The verdicts `review` that an admin has accepted, for a user or for one withdrawal. */
export interface AcceptedReview {
  /** Of the user or the withdrawal. */
  readonly id: string;
  readonly screening: 'review';
  /** The provider's references of the accepted verdicts. */
  readonly references: readonly string[];
  readonly reason: string;
  readonly acceptedAt: Date;
  /** The e-mail address of the admin. */
  readonly acceptedBy: string;
}

/** The reason without surrounding blanks. Throws REASON_REQUIRED if it is empty. */
export function requireReason(text: string | null | undefined): string {
  const reason = text?.trim();
  return reason ? reason : throwError('REASON_REQUIRED', [{ field: 'reason', message: 'is required' }]);
}

/**
 * The reviews that no admin has accepted. Throws INVALID_STATE if there are none or a subject is blocked, SERVICE_UNAVAILABLE
 * if a verdict is missing or no longer fresh.
 */
export function requireReviews(verdicts: readonly (StoredVerdict | undefined)[]): StoredVerdict[] {
  if (verdicts.some((verdict) => verdict?.isFresh && verdict.verdict === 'blocked')) {
    throwError(
      'INVALID_STATE',
      { ...acceptRefusalDetails('blocked'), screening: 'blocked' },
      { message: 'A blocked user or address cannot be accepted.' },
    );
  }
  if (verdicts.some((verdict) => !verdict?.isFresh)) failUnscreened();
  const reviews = verdicts.filter(
    (verdict): verdict is StoredVerdict => verdict?.verdict === 'review' && !verdict.isAccepted,
  );
  if (reviews.length > 0) return reviews;
  // The error names an accepted review or, without one, the first verdict.
  const accepted = verdicts.find((verdict) => verdict?.verdict === 'review');
  return failWithoutReview((accepted ?? verdicts[0])?.verdict);
}

/** The request for the acceptance of a record's reviews, which a second admin approves. */
export function reviewRequest(
  subject: ApprovalSubject,
  reviews: readonly StoredVerdict[],
  reason: string,
): ChangeRequest {
  const found = reviews.map(({ subject: screened, riskScore, lists, reference }) => ({
    subject: screened,
    riskScore,
    lists,
    reference,
  }));
  return {
    kind: 'screening.accept',
    subject,
    before: { screening: 'review', accepted: false, reviews: found },
    after: { screening: 'review', accepted: true },
    input: { verdictIds: reviews.map(({ id }) => id) },
    reason,
  };
}

/** Throws INVALID_STATE if the request does not have the verdict of a review: a newer verdict needs another decision. */
export function requireRequestedReviews(
  reviews: readonly StoredVerdict[],
  verdictIds: readonly string[],
): void {
  if (reviews.every(({ id }) => verdictIds.includes(id))) return;
  const message = 'The screening provider has given another verdict since the request.';
  throwError('INVALID_STATE', acceptRefusalDetails('review'), { message });
}

/** Throws INVALID_STATE with the verdict, if there is one, as the status. */
export function failWithoutReview(verdict: Verdict | null = null): never {
  throwError('INVALID_STATE', acceptRefusalDetails(verdict), {
    message: 'There is no open review to accept.',
  });
}

/** The details of INVALID_STATE if nothing can be accepted. A review that is accepted already also has the status `review`. */
function acceptRefusalDetails(status: Verdict | null) {
  return { status, action: 'accept-screening', allowedFrom: ['review'] };
}

/** Throws SERVICE_UNAVAILABLE with Retry-After, because a missing verdict never counts as `clear`. */
export function failUnscreened(): never {
  throwError('SERVICE_UNAVAILABLE', undefined, {
    message: 'The screening provider has not answered yet. Try again shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
