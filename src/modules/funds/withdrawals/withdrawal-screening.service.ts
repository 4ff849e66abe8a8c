import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { FourEyesService } from '../../identity/approvals/four-eyes.service.js';
import { AuditService } from '../../core/audit/audit.service.js';
import { failUnscreened } from '../../identity/screening/domain/reviews.js';
import {
  addressSubject,
  paymentSubjects,
  type StoredVerdict,
  type Subject,
} from '../../identity/screening/domain/verdict.js';
import { ScreeningService } from '../../identity/screening/screening.service.js';
import { AdminWithdrawalsRepository, type ScreeningCandidate } from './admin-withdrawals.repository.js';
import {
  requireActiveUser,
  SCREENED_VERBS,
  WITHDRAWAL_STATES,
  type WithdrawalStatus,
  type WithdrawalVerb,
} from './domain/withdrawal.state-machine.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import type { AdminWithdrawal } from './withdrawals.types.js';

/** Bounds how long a bulk request waits for the provider. */
const MAX_SCREENED_TOGETHER = 10;

/** A review can be accepted until the withdrawal is taken; later transitions need no verdict. */
export const REVIEWABLE: readonly WithdrawalStatus[] = ['pending', 'approved'];

/** A withdrawal, or a transaction by hand. */
interface RefusedSubject {
  readonly type: 'withdrawal' | 'transaction';
  readonly id: string;
}

/** Screening of withdrawals. The provider is called before a transaction begins, so that no lock waits for it. */
@Injectable()
export class WithdrawalScreeningService {
  private readonly log = new Logger('WithdrawalScreening');

  constructor(
    private readonly adminWithdrawals: AdminWithdrawalsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly screening: ScreeningService,
    private readonly audit: AuditService,
    private readonly fourEyes: FourEyesService,
  ) {}

  /** Throws INVALID_STATE for an address with a fresh `blocked` verdict. A request asks the provider nothing. */
  async requireUnblockedDestination(tx: Tx, toAddress: string): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = addressSubject(toAddress);
    const verdict = (await this.screening.getNewestVerdicts([subject], { manager: tx })).get(subject);
    if (verdict?.isFresh && verdict.verdict === 'blocked') {
      throwError(
        'INVALID_STATE',
        { status: null, action: 'request', allowedFrom: [], screening: 'blocked' },
        { message: 'Withdrawals to toAddress are not permitted. Use another address.' },
      );
    }
  }

  /**
   * Queues the address of a withdrawal that an operator opens, so that its verdict is there before the withdrawal is taken. Does
   * not wait for the provider. A failure does not hide the withdrawal from the operator: taking it asks the provider as well.
   */
  async queueOpened({ id, status, toAddress }: AdminWithdrawal): Promise<void> {
    if (!this.screening.isConfigured || !REVIEWABLE.includes(status)) return;
    try {
      await this.unitOfWork.runInNewTransaction((tx) =>
        this.screening.queueUnscreened(tx, addressSubject(toAddress)),
      );
    } catch (err) {
      this.log.warn({ msg: 'the address of a withdrawal was not queued for screening', id, err });
    }
  }

  /**
   * Asks the provider for the missing verdicts that a transition needs. Throws INVALID_STATE for a wrong state or a user who
   * is not active, before it calls the provider.
   */
  async prepareTransition(id: string, verb: WithdrawalVerb): Promise<void> {
    if (!this.isScreened(verb)) return;
    const [candidate] = await this.adminWithdrawals.findScreeningCandidates([id]);
    if (!candidate) return; // the transition throws WITHDRAWAL_NOT_FOUND
    WITHDRAWAL_STATES.requireAllowed(candidate.status, verb);
    requireActiveUser(candidate.status, candidate.userStatus, verb);
    if (candidate.isPaused) return; // the transition throws WITHDRAWALS_PAUSED
    await this.screenCandidate(candidate);
  }

  /**
   * As `prepareTransition`, for several withdrawals, but leaves all refusals to the transitions. Screens at most
   * `MAX_SCREENED_TOGETHER` withdrawals; `requireCleared` refuses those that are left without a verdict.
   */
  async prepareSeveral(ids: readonly string[], verb: WithdrawalVerb): Promise<void> {
    if (!this.isScreened(verb)) return;
    const candidates = await this.adminWithdrawals.findScreeningCandidates(ids);
    const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
    const allowed = ids.flatMap((id) => {
      const candidate = byId.get(id);
      const isPayable = candidate?.userStatus === 'active' && !candidate.isPaused;
      return isPayable && WITHDRAWAL_STATES.allowedFrom(verb).includes(candidate.status) ? [candidate] : [];
    });
    const subjectsOfWithdrawals = [...(await this.findUnscreened(allowed)).values()];
    await this.screening.screenSubjects(subjectsOfWithdrawals.slice(0, MAX_SCREENED_TOGETHER).flat());
  }

  /**
   * Reads the verdicts after the caller has locked the withdrawal. Throws INVALID_STATE with `details.screening` for a blocked
   * subject or an unaccepted review, SERVICE_UNAVAILABLE without a fresh verdict, and FOUR_EYES_REQUIRED for the admin who alone
   * has accepted the review of a withdrawal that they take.
   */
  async requireCleared(tx: Tx, withdrawal: Withdrawal, verb: WithdrawalVerb, by: string): Promise<void> {
    if (!this.isScreened(verb)) return;
    const verdicts = await this.findVerdicts(tx, withdrawal);
    const fresh = verdicts.filter((verdict) => verdict?.isFresh);
    const blocked = fresh.find((verdict) => verdict?.verdict === 'blocked');
    if (blocked) failScreened(withdrawal, verb, blocked);
    if (fresh.length < verdicts.length) failUnscreened();
    const review = fresh.find((verdict) => verdict?.verdict === 'review' && !verdict.isAccepted);
    if (review) failScreened(withdrawal, verb, review);
    if (verb !== 'approve') this.requireOtherAcceptor(fresh, by);
  }

  /**
   * Carries out a transition of a withdrawal, also of one by hand. Audits a refusal for a blocked subject in a separate
   * transaction, because the transaction of the transition is rolled back.
   */
  async runAndAuditBlocked<Result>(
    admin: AdminPrincipal,
    subject: RefusedSubject,
    verb: WithdrawalVerb,
    carryOut: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await carryOut();
    } catch (error) {
      if (isBlockedRefusal(error))
        await this.unitOfWork.runInNewTransaction((tx) => this.auditBlocked(tx, admin, subject, verb, error));
      throw error;
    }
  }

  /** Writes a refusal for a blocked subject to the audit log; ignores other refusals. */
  async auditBlocked(
    tx: Tx,
    admin: AdminPrincipal,
    subject: RefusedSubject,
    verb: WithdrawalVerb,
    refusal: DomainError,
  ): Promise<void> {
    if (!isBlockedRefusal(refusal)) return;
    await this.audit.record(tx, admin, {
      action: `${subject.type}.${verb}-refused`,
      subject,
      after: refusal.details as Record<string, unknown>,
    });
  }

  /** Asks the provider for the missing verdicts of one withdrawal. */
  async screenCandidate(candidate: ScreeningCandidate): Promise<void> {
    const unscreened = await this.findUnscreened([candidate]);
    await this.screening.screenSubjects(unscreened.get(candidate.id) ?? []);
  }

  private requireOtherAcceptor(verdicts: readonly (StoredVerdict | undefined)[], by: string): void {
    if (!this.fourEyes.isOn) return;
    const isOwnAcceptance = verdicts.some(
      (verdict) => verdict?.isAccepted && verdict.acceptedBy.every((acceptor) => acceptor === by),
    );
    if (!isOwnAcceptance) return;
    const message = 'You have accepted the screening of this withdrawal. Another admin has to take it.';
    throwError('FOUR_EYES_REQUIRED', { reason: 'same-person' }, { message });
  }

  private isScreened(verb: WithdrawalVerb): boolean {
    return this.screening.isConfigured && SCREENED_VERBS.has(verb);
  }

  /** The subjects without a fresh verdict, by withdrawal id. A withdrawal with a blocked subject needs no other verdict. */
  private async findUnscreened(candidates: readonly ScreeningCandidate[]): Promise<Map<string, Subject[]>> {
    const verdicts = await this.screening.getNewestVerdicts([
      ...new Set(candidates.flatMap(paymentSubjects)),
    ]);
    const missing = candidates.map((candidate): [string, Subject[]] => {
      const subjects = paymentSubjects(candidate);
      const isBlocked = subjects.some((subject) => {
        const verdict = verdicts.get(subject);
        return verdict?.isFresh && verdict.verdict === 'blocked';
      });
      return [candidate.id, isBlocked ? [] : subjects.filter((subject) => !verdicts.get(subject)?.isFresh)];
    });
    return new Map(missing.filter(([, subjects]) => subjects.length > 0));
  }

  /** The newest verdicts on the user and on the address; undefined for a subject without one. */
  async findVerdicts(tx: Tx, withdrawal: Withdrawal): Promise<(StoredVerdict | undefined)[]> {
    const subjects = paymentSubjects(withdrawal);
    const verdicts = await this.screening.getNewestVerdicts(subjects, {
      manager: tx,
      withdrawalId: withdrawal.id,
    });
    return subjects.map((subject) => verdicts.get(subject));
  }
}

function failScreened({ status }: Withdrawal, verb: WithdrawalVerb, verdict: StoredVerdict): never {
  const subjectType = verdict.subject.startsWith('user:') ? 'user' : 'address';
  const message =
    verdict.verdict === 'blocked'
      ? `Screening has blocked the ${subjectType} of this withdrawal. Reject the withdrawal.`
      : `Screening requires a review of the ${subjectType} of this withdrawal. Accept the review with a reason, or reject the withdrawal.`;
  throwError(
    'INVALID_STATE',
    {
      status,
      action: verb,
      allowedFrom: WITHDRAWAL_STATES.allowedFrom(verb),
      screening: verdict.verdict,
      screened: subjectType,
      screeningReference: verdict.reference,
    },
    { message },
  );
}

function isBlockedRefusal(error: unknown): error is DomainError {
  const details = error instanceof DomainError ? error.details : undefined;
  return (details as Record<string, unknown> | undefined)?.screening === 'blocked';
}
