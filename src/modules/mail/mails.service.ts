import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { DatabaseClock } from '../../database/database-clock.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Meters } from '../../observability/meters.js';
import { mailAfterFailure } from './domain/mail-outcome.js';
import { renderMail } from './domain/mail-templates.js';
import type { Mail } from './entities/mail.entity.js';
import { MailsRepository, type ClaimedMail } from './mails.repository.js';
import { SmtpClient } from './smtp.client.js';

/** Time-out of one attempt. */
const ATTEMPT_MS = 60_000;
/**
 * Longer than an attempt (60 s) and the tries to record its result (20 × 3 s), so that no other process sends the mail
 * meanwhile.
 */
const LEASE_SECONDS = 150;
const RECORD_TRIES = 20;
const RECORD_RETRY_MS = 3000;
const RETENTION_MS = 30 * 24 * 3_600_000;
const DELETE_BATCH_ROWS = 5000;

type Outcome = Pick<Mail, 'status' | 'dueAt' | 'settledAt' | 'failure'>;

/** Makes the attempts to send mails. No row is locked during an attempt; a claim is a lease. */
@Injectable()
export class MailsService {
  private readonly log = new Logger('Mails');

  constructor(
    private readonly mails: MailsRepository,
    private readonly smtp: SmtpClient,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly config: AppConfig,
    private readonly meters: Meters,
  ) {}

  /**
   * Claims due mails, but none while the clock of this process differs from the database's by more than a minute (DEC-26).
   * `excludedIds` are the ids of the mails that this process is sending.
   */
  async claimDue(excludedIds: readonly string[], limit: number): Promise<ClaimedMail[]> {
    if (!this.databaseClock.isRight) return [];
    return this.mails.claimDueMails(this.clock.now(), {
      excluded: excludedIds,
      limit,
      leaseSeconds: LEASE_SECONDS,
    });
  }

  /** Makes one attempt and records its result. An interrupted attempt does not count. */
  async attemptMail(mail: ClaimedMail, interrupted: AbortSignal): Promise<void> {
    const outcome = await this.sendMail(mail, interrupted);
    if (outcome) await this.recordOutcome(mail, outcome, interrupted);
    else await this.mails.releaseMail(mail);
  }

  /** For the erasure of a user. */
  async deleteMailsOfUser(tx: Tx, userId: string): Promise<void> {
    await this.mails.deleteMailsOfUser(tx, userId);
  }

  async deleteOldMails(stopping: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - RETENTION_MS);
    let deleted: number;
    do {
      deleted = await this.mails.deleteMailsBefore(before, DELETE_BATCH_ROWS);
    } while (deleted === DELETE_BATCH_ROWS && !stopping.aborted);
  }

  /** Returns undefined if the attempt was interrupted. */
  private async sendMail(mail: ClaimedMail, interrupted: AbortSignal): Promise<Outcome | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), interrupted]);
    try {
      const rendered = renderMail(mail, this.config.PUBLIC_URL);
      await this.smtp.sendMail({ ...rendered, id: mail.id, recipient: mail.recipient }, signal);
    } catch (error) {
      if (interrupted.aborted) return undefined;
      const { id: mailId, kind, attempts } = mail;
      const failure = failureOf(error);
      this.log.warn({ msg: 'a mail was not sent', mailId, kind, attempts, failure, err: error });
      return { ...mailAfterFailure(mail, this.clock.now()), failure };
    }
    const now = this.clock.now();
    return { status: 'sent', dueAt: now, settledAt: now, failure: null };
  }

  /**
   * Retries while the database is unavailable, because a mail that the SMTP server accepted is sent again if its result is
   * not recorded. Records nothing if the lease expired and another process claimed the mail.
   */
  private async recordOutcome(mail: ClaimedMail, outcome: Outcome, interrupted: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const isRecorded = await this.unitOfWork.runInNewTransaction((tx) =>
          this.mails.updateClaimedMail(tx, mail, outcome),
        );
        if (isRecorded) this.reportOutcome(mail, outcome);
        return;
      } catch (error) {
        if (tries === RECORD_TRIES || interrupted.aborted) throw error;
        await sleep(RECORD_RETRY_MS, undefined, { signal: interrupted }).catch(() => undefined);
      }
    }
  }

  private reportOutcome({ id: mailId, kind, attempts }: ClaimedMail, { status, failure }: Outcome): void {
    // A mail whose attempt failed is waiting again, unless it was given up.
    this.meters.count('mail-attempt', status === 'waiting' ? 'failed' : status);
    if (status === 'given-up')
      this.log.error({ msg: 'a mail was given up', mailId, kind, attempts, failure });
  }
}

/** The code of the server's reply, or the kind of fault such as ECONNECTION. */
function failureOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return String(responseCode ?? code ?? (error as Error).name);
}
