import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../http/auth/principal.js';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import { StateMachine } from '../../common/state-machine.js';
import { AuditService } from '../audit/audit.service.js';
import { addressSubject, paymentSubjects, type Subject } from '../screening/screening-provider.js';
import { ScreeningRecords, type StoredVerdict } from '../screening/screening-records.js';
import { ScreeningService, screeningUnavailable } from '../screening/screening.service.js';
import {
  nothingForReview,
  requireReason,
  requireReviews,
  type AcceptedReview,
} from '../screening/user-screening.service.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { WithdrawalRecords } from './withdrawals.repository.js';
import {
  requireActiveUser,
  TRANSITION_IS_SCREENED,
  WITHDRAWAL_STATES,
  type WithdrawalStatus,
  type WithdrawalVerb,
} from './domain/withdrawal.state-machine.js';

/** A withdrawal as it is looked at before anything is asked, without a lock. */
interface Look {
  readonly id: string;
  readonly status: WithdrawalStatus;
  readonly userId: string;
  readonly toAddress: string;
  readonly userStatus: string;
  readonly isPaused: boolean;
}

const MOST_SCREENED_IN_BULK = 10;

/** A review can be accepted before the withdrawal is set in motion. */
const ACCEPTANCE = new StateMachine<WithdrawalStatus, 'accept-screening'>([
  { verb: 'accept-screening', from: ['pending', 'approved'], to: 'pending' },
]);

/** What screening has to do with withdrawals. The provider is asked before a transaction begins, never in one. */
@Injectable()
export class WithdrawalScreeningService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly screening: ScreeningService,
    private readonly screeningRecords: ScreeningRecords,
    private readonly records: WithdrawalRecords,
    private readonly audit: AuditService,
  ) {}

  /** Refuses a request to an address with a fresh `blocked` verdict; has any other address screened after the commit. */
  async screenDestination(tx: Tx, toAddress: string): Promise<void> {
    if (!this.screening.isConfigured) return;
    const subject = addressSubject(toAddress);
    const verdict = (await this.screening.newest([subject], { manager: tx })).get(subject);
    if (!verdict?.isFresh) return this.screening.requestScreening(tx, subject);
    if (verdict.verdict === 'blocked') {
      fail(
        'INVALID_STATE',
        { action: 'request', screening: 'blocked' },
        { message: 'Nothing can be paid to this address.' },
      );
    }
  }

  /**
   * Asks for the verdicts that a transition needs and that are not fresh. Throws what needs no asking: INVALID_STATE
   * for a wrong state or a user who is not active.
   */
  async prepare(id: string, verb: WithdrawalVerb): Promise<void> {
    if (!this.isScreened(verb)) return;
    const [look] = await this.lookAt([id]);
    if (!look) return; // refused in the transaction
    WITHDRAWAL_STATES.next(look.status, verb);
    requireActiveUser(look.status, look.userStatus, verb);
    if (!look.isPaused) await this.screening.askAll((await this.unscreened([look])).get(look.id) ?? []);
  }

  /** The same for several, of which the first ten without fresh verdicts are asked about. Refuses nothing. */
  async prepareBulk(ids: readonly string[], verb: WithdrawalVerb): Promise<void> {
    if (!this.isScreened(verb)) return;
    const looks = new Map((await this.lookAt(ids)).map((look) => [look.id, look]));
    const possible = ids.flatMap((id) => {
      const look = looks.get(id);
      const isPossible = look?.userStatus === 'active' && !look.isPaused;
      return isPossible && WITHDRAWAL_STATES.allowedFrom(verb).includes(look.status) ? [look] : [];
    });
    const subjects = [...(await this.unscreened(possible)).values()].slice(0, MOST_SCREENED_IN_BULK);
    await this.screening.askAll(subjects.flat());
  }

  /**
   * Reads the verdicts under the withdrawal's row lock. Throws INVALID_STATE with `details.screening` for a blocked
   * subject or a review that was not accepted, SERVICE_UNAVAILABLE where a fresh verdict is missing.
   */
  async requireCleared(tx: Tx, withdrawal: Withdrawal, verb: WithdrawalVerb): Promise<void> {
    if (!this.isScreened(verb)) return;
    const verdicts = await this.verdictsOn(tx, withdrawal);
    const fresh = verdicts.filter((verdict) => verdict?.isFresh);
    const blocked = fresh.find((verdict) => verdict?.verdict === 'blocked');
    if (blocked) refuse(withdrawal, verb, blocked);
    if (fresh.length < verdicts.length) screeningUnavailable();
    const review = fresh.find((verdict) => verdict?.verdict === 'review' && !verdict.isAccepted);
    if (review) refuse(withdrawal, verb, review);
  }

  /** Does `work`; a refusal for a blocked subject is written to the audit log, since the work's transaction is undone. */
  async recordingBlocked<Result>(
    admin: AdminPrincipal,
    id: string,
    verb: WithdrawalVerb,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isForBlocked(error))
        await this.unitOfWork.runInNewTransaction((tx) => this.recordBlocked(tx, admin, id, verb, error));
      throw error;
    }
  }

  async recordBlocked(
    tx: Tx,
    admin: AdminPrincipal,
    id: string,
    verb: WithdrawalVerb,
    refusal: DomainError,
  ): Promise<void> {
    if (!isForBlocked(refusal)) return;
    await this.audit.record(tx, admin, {
      action: `withdrawal.${verb}-refused`,
      subject: { type: 'withdrawal', id },
      after: refusal.details as Record<string, unknown>,
    });
  }

  /**
   * Lets the reviews of a withdrawal's user and address pass for this withdrawal. Throws REASON_REQUIRED,
   * WITHDRAWAL_NOT_FOUND, INVALID_STATE when nothing is for review, SERVICE_UNAVAILABLE without fresh verdicts.
   */
  async acceptReview(id: string, given: string | undefined, admin: AdminPrincipal): Promise<AcceptedReview> {
    const reason = requireReason(given);
    const [look = fail('WITHDRAWAL_NOT_FOUND')] = await this.lookAt([id]);
    ACCEPTANCE.next(look.status, 'accept-screening');
    if (!this.screening.isConfigured) nothingForReview();
    await this.screening.askAll((await this.unscreened([look])).get(look.id) ?? []);
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.records.lock(tx, id); // of two admins at once the second finds it accepted
      ACCEPTANCE.next(withdrawal.status, 'accept-screening');
      const reviews = requireReviews(await this.verdictsOn(tx, withdrawal));
      const references = reviews.map(({ reference }) => reference);
      const acceptedAt = await this.screeningRecords.acceptForWithdrawal(
        tx,
        id,
        reviews,
        admin.email,
        reason,
      );
      await this.audit.record(tx, admin, {
        action: 'withdrawal.accept-screening',
        subject: { type: 'withdrawal', id },
        reason,
        before: { screening: 'review', accepted: false },
        after: {
          screening: 'review',
          accepted: true,
          subjects: reviews.map(({ subject }) => subject),
          references,
        },
      });
      return { id, references, reason, acceptedAt, acceptedBy: admin.email };
    });
  }

  private isScreened(verb: WithdrawalVerb): boolean {
    return this.screening.isConfigured && TRANSITION_IS_SCREENED.has(verb);
  }

  private lookAt(ids: readonly string[]): Promise<Look[]> {
    return this.dataSource.query<Look[]>(
      `select w.id, w.status, w.user_id as "userId", w.to_address as "toAddress", owner.status as "userStatus",
              exists (select from withdrawal_pause where resumed_at is null) as "isPaused"
         from withdrawal as w join platform_user as owner on owner.id = w.user_id
        where w.id = any($1::uuid[])`,
      [ids],
    );
  }

  /** By withdrawal: the subjects without a fresh verdict. A withdrawal with a blocked subject needs no other verdict. */
  private async unscreened(looks: readonly Look[]): Promise<Map<string, Subject[]>> {
    const verdicts = await this.screening.newest([...new Set(looks.flatMap(paymentSubjects))]);
    const missing = looks.map((look): [string, Subject[]] => {
      const own = paymentSubjects(look);
      const isBlocked = own.some((subject) => isFreshBlock(verdicts.get(subject)));
      return [look.id, isBlocked ? [] : own.filter((subject) => !verdicts.get(subject)?.isFresh)];
    });
    return new Map(missing.filter(([, subjects]) => subjects.length > 0));
  }

  private async verdictsOn(tx: Tx, withdrawal: Withdrawal): Promise<(StoredVerdict | undefined)[]> {
    const subjects = paymentSubjects(withdrawal);
    const verdicts = await this.screening.newest(subjects, { manager: tx, withdrawalId: withdrawal.id });
    return subjects.map((subject) => verdicts.get(subject));
  }
}

function isFreshBlock(verdict: StoredVerdict | undefined): boolean {
  return verdict !== undefined && verdict.isFresh && verdict.verdict === 'blocked';
}

function refuse({ status }: Withdrawal, verb: WithdrawalVerb, verdict: StoredVerdict): never {
  const [screened] = verdict.subject.split(':') as [string];
  const message =
    verdict.verdict === 'blocked'
      ? `Screening has blocked the ${screened} of this withdrawal. Reject it.`
      : `The ${screened} of this withdrawal is for review. Accept the review with a reason, or reject it.`;
  fail(
    'INVALID_STATE',
    {
      ...{ status, action: verb, allowedFrom: WITHDRAWAL_STATES.allowedFrom(verb) },
      ...{ screening: verdict.verdict, screened, screeningReference: verdict.reference },
    },
    { message },
  );
}

function isForBlocked(error: unknown): error is DomainError {
  const details = error instanceof DomainError ? error.details : undefined;
  return (details as Record<string, unknown> | undefined)?.screening === 'blocked';
}
