import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { AuditService, SYSTEM } from '../../core/audit/audit.service.js';
import { UsersService } from '../users/users.service.js';
import { typeAndIdOf, userIdOf, type Subject, type ScreeningAnswer } from './domain/verdict.js';
import { ScreeningRepository } from './screening.repository.js';

/** A question that the holder of its lease may ask the provider. */
export interface ClaimedQuestion {
  readonly subject: Subject;
  /** Identifies this claim in the lease. */
  readonly holder: string;
  /** Null for an address, as `name`. */
  readonly email: string | null;
  /** Also null for a user without a name. */
  readonly name: string | null;
}

/** The queue of questions: claims questions by lease and stores their answers. */
@Injectable()
export class ScreeningQuestionsService {
  constructor(
    private readonly repository: ScreeningRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly config: AppConfig,
    private readonly audit: AuditService,
    private readonly alerts: AlertsService,
    private readonly users: UsersService,
  ) {}

  /**
   * Undefined while another claim holds the question, and if there is a fresh verdict. A verdict without a valid seal, which somebody
   * has written into the database, does not count.
   */
  async claimQuestion(subject: Subject): Promise<ClaimedQuestion | undefined> {
    const { SCREENING_VALID_HOURS: validHours } = this.config;
    const holder = randomUUID();
    const claim = (ignoredVerdict: string | null) =>
      this.repository.claimQuestion(subject, holder, validHours, ignoredVerdict);
    if (await claim(null)) return this.describe(subject, holder);
    const forged = await this.repository.findForgedVerdict(subject, validHours);
    return forged !== undefined && (await claim(forged)) ? this.describe(subject, holder) : undefined;
  }

  /** Claims a question of the queue that is due. Undefined if another claim holds, has answered or has postponed it. */
  async claimQueuedQuestion(subject: Subject): Promise<ClaimedQuestion | undefined> {
    const holder = randomUUID();
    const isClaimed = await this.repository.claimQueuedQuestion(subject, holder);
    return isClaimed ? this.describe(subject, holder) : undefined;
  }

  postponeQuestion({ subject, holder }: ClaimedQuestion): Promise<void> {
    return this.repository.postponeQuestion(subject, holder);
  }

  /**
   * Stores the verdict and deletes the question. Stores nothing if another claim has taken the lease over, whose answer is
   * newer. If the user's e-mail address has changed meanwhile, the verdict is outdated and the question stays.
   */
  async storeVerdict({ subject, holder, email }: ClaimedQuestion, answer: ScreeningAnswer): Promise<void> {
    const userId = userIdOf(subject);
    await this.unitOfWork.runInNewTransaction(async (tx) => {
      // Locks the user before the question, as a change of the e-mail address does, so that they cannot deadlock.
      const currentEmail = userId === null ? null : await this.users.lockEmail(tx, userId);
      if (currentEmail === undefined) return; // the user was deleted, and the question with the user
      const held = await this.repository.lockHeldQuestion(tx, subject, holder);
      if (!held) return;
      const isOutdated = currentEmail !== email;
      await this.repository.insertVerdict(tx, held, answer, isOutdated);
      if (isOutdated) await this.repository.releaseQuestion(tx, subject);
      else await this.repository.deleteQuestion(tx, subject);
      if (answer.verdict === 'blocked') await this.reportBlocked(tx, subject, answer);
      if (userId !== null && !isOutdated) await this.reportReview(tx, userId, answer);
    });
  }

  private async describe(subject: Subject, holder: string): Promise<ClaimedQuestion> {
    const userId = userIdOf(subject);
    const user = userId === null ? undefined : await this.users.find(userId);
    return { subject, holder, email: user?.email ?? null, name: user?.fullName ?? null };
  }

  /** Raises the alert for a user who needs a review, and resolves it after any other verdict. */
  private async reportReview(tx: Tx, id: string, { verdict }: ScreeningAnswer): Promise<void> {
    if (verdict !== 'review') return this.alerts.resolveBySystem('screening-review', id, tx);
    await this.alerts.raise(
      {
        kind: 'screening-review',
        subject: { type: 'user', id },
        message: 'The screening provider asks for a review of this user.',
        nextStep:
          'Compare the user with the finding of the provider. Accept the review with a reason, or suspend the user and follow the compliance procedure.',
      },
      tx,
    );
  }

  private async reportBlocked(tx: Tx, subject: Subject, answer: ScreeningAnswer): Promise<void> {
    const { type, id } = typeAndIdOf(subject);
    await this.audit.record(tx, SYSTEM, {
      action: 'screening.block',
      subject: { type, id },
      after: { screening: answer.verdict, reference: answer.reference, lists: answer.lists },
    });
    await this.alerts.raise(
      {
        kind: 'screening-blocked',
        subject: { type, id },
        message: `The screening provider blocks this ${type}.`,
        nextStep: 'Reject the withdrawals that are waiting for it, and follow the compliance procedure.',
      },
      tx,
    );
  }
}
