import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { fail } from '../../common/errors/domain-error.js';
import { AuditService } from '../audit/audit.service.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import { userSubject } from './screening-provider.js';
import { ScreeningRecords, type StoredVerdict } from './screening-records.js';
import { ScreeningService, screeningUnavailable } from './screening.service.js';

/** A review that an admin has let pass. */
export interface AcceptedReview {
  readonly id: string;
  readonly references: readonly string[];
  readonly reason: string;
  readonly acceptedAt: Date;
  readonly acceptedBy: string;
}

/** Admins' decisions on users who are for review. */
@Injectable()
export class UserScreeningService {
  constructor(
    private readonly screening: ScreeningService,
    private readonly records: ScreeningRecords,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditService,
  ) {}

  /** Asks about a user who has no fresh verdict; never called in a transaction. */
  async askAbout(userId: string): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = userSubject(userId);
    if (!(await this.screening.newest([subject])).get(subject)?.isFresh)
      await this.screening.askAll([subject]);
  }

  /**
   * Throws INVALID_STATE with `details.screening` for a user who is blocked, or for review without an acceptance, and
   * SERVICE_UNAVAILABLE without a fresh verdict. `refused` says what cannot be done.
   */
  async requireCleared(tx: Tx, userId: string, refused: object): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = userSubject(userId);
    const verdict = (await this.screening.newest([subject], { manager: tx })).get(subject);
    if (!verdict?.isFresh) return screeningUnavailable();
    if (verdict.verdict === 'clear' || (verdict.verdict === 'review' && verdict.isAccepted)) return;
    const message =
      verdict.verdict === 'blocked'
        ? 'Screening has blocked this user. Reject it.'
        : 'This user is for review. Accept the review with a reason, or reject it.';
    const details = { screening: verdict.verdict, screened: 'user', screeningReference: verdict.reference };
    fail('INVALID_STATE', { ...refused, ...details }, { message });
  }

  /**
   * Lets a user's review pass until the next verdict. Throws REASON_REQUIRED, USER_NOT_FOUND, INVALID_STATE when nothing
   * is for review, SERVICE_UNAVAILABLE while there is no fresh verdict to decide on.
   */
  async acceptReview(id: string, given: string | undefined, admin: AdminPrincipal): Promise<AcceptedReview> {
    const reason = requireReason(given);
    await this.users.get(id);
    const subject = userSubject(id);
    if (!this.screening.isConfigured) nothingForReview();
    await this.askAbout(id);
    return this.unitOfWork.runInTransaction(async (tx) => {
      await this.accounts.lock(tx, id); // of two admins at once the second finds it accepted
      const verdict = (await this.screening.newest([subject], { manager: tx })).get(subject);
      const [review] = requireReviews([verdict]);
      const { reference } = review as StoredVerdict;
      const acceptedAt = await this.records.acceptForUser(
        tx,
        (review as StoredVerdict).id,
        admin.email,
        reason,
      );
      await this.audit.record(tx, admin, {
        action: 'user.accept-screening',
        subject: { type: 'user', id },
        reason,
        before: { screening: 'review', accepted: false },
        after: { screening: 'review', accepted: true, reference },
      });
      return { id, references: [reference], reason, acceptedAt, acceptedBy: admin.email };
    });
  }
}

/** Throws REASON_REQUIRED. */
export function requireReason(given: string | null | undefined): string {
  const reason = given?.trim();
  return reason
    ? reason
    : fail('REASON_REQUIRED', undefined, { message: 'Accepting a review needs a reason.' });
}

/** The reviews that no admin has accepted. Throws INVALID_STATE without one or for a blocked subject. */
export function requireReviews(verdicts: readonly (StoredVerdict | undefined)[]): StoredVerdict[] {
  if (verdicts.some((verdict) => verdict?.isFresh && verdict.verdict === 'blocked')) {
    fail(
      'INVALID_STATE',
      { action: 'accept-screening', screening: 'blocked' },
      { message: 'A blocked user or address cannot be accepted.' },
    );
  }
  if (verdicts.some((verdict) => !verdict?.isFresh)) screeningUnavailable();
  const reviews = verdicts.filter(
    (verdict): verdict is StoredVerdict => verdict?.verdict === 'review' && !verdict.isAccepted,
  );
  return reviews.length > 0 ? reviews : nothingForReview();
}

export function nothingForReview(): never {
  fail('INVALID_STATE', { action: 'accept-screening' }, { message: 'Nothing here is for review.' });
}
